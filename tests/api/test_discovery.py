"""Discovery of users (WebFinger, host-meta) and of the software (NodeInfo), also across origins."""

import re

import pytest
from django.test import Client

from accounts.services.account_status import suspend_user
from accounts.services.profiles import change_username
from tests.api.api_client import Api
from tests.feed.picture_uploads import publish as publish_picture
from tests.uploads import picture

WEBFINGER = "/.well-known/webfinger"


@pytest.mark.parametrize(
    "resource",
    [
        "acct:alice@testserver",
        "acct:ALICE@TestServer",
        "alice@testserver",
        "http://testserver/@alice/",
    ],
)
def test_a_user_is_found_by_name(client, alice, resource):
    response = client.get(WEBFINGER, {"resource": resource})
    assert response["Content-Type"] == "application/jrd+json"
    webfinger = response.json()
    assert webfinger["subject"] == "acct:alice@testserver"
    assert webfinger["aliases"] == ["http://testserver/@alice/"]
    links = {
        webfinger_link["rel"].rpartition("/")[2]: webfinger_link["href"]
        for webfinger_link in webfinger["links"]
    }
    assert links["profile-page"] == "http://testserver/@alice/"
    assert client.get(links["avatar"].removeprefix("http://testserver")).status_code == 200


@pytest.mark.parametrize(
    "resource",
    [
        "acct:nobody@testserver",
        "acct:alice@elsewhere.example",
        "acct:alice",
        "http://elsewhere.example/@alice/",
        "http://testserver/@alice/followers/",
        "http://testserver/\x00",
        "acct:@testserver",
        "é" * 3000,
    ],
)
def test_other_resources_are_not_found(client, alice, resource):
    response = client.get(WEBFINGER, {"resource": resource})
    assert response.status_code == 404
    assert response.json() == {"error": "Record not found"}


def test_a_suspended_user_and_an_old_name_are_not_found(client, alice):
    change_username(uid=alice.pk, username="alicia")
    assert client.get(WEBFINGER, {"resource": "acct:alice@testserver"}).status_code == 404
    assert client.get(WEBFINGER, {"resource": "acct:alicia@testserver"}).status_code == 200
    suspend_user(uid=alice.pk)
    assert client.get(WEBFINGER, {"resource": "acct:alicia@testserver"}).status_code == 404


def test_a_request_without_a_resource_is_rejected(client):
    response = client.get(WEBFINGER)
    assert response.status_code == 400
    assert "resource" in response.json()["error"]


def test_host_meta_leads_to_webfinger(client, alice):
    response = client.get("/.well-known/host-meta")
    assert response["Content-Type"].startswith("application/xrd+xml")
    template = re.search(
        r'rel="lrdd" template="http://testserver([^"]+)"', response.content.decode()
    )[1]
    address = template.replace("{uri}", "acct:alice@testserver")
    assert client.get(address).json()["subject"] == "acct:alice@testserver"


def test_nodeinfo_names_mastodon_as_upstream(client):
    (link,) = client.get("/.well-known/nodeinfo").json()["links"]
    assert link["rel"] == "http://nodeinfo.diaspora.software/ns/schema/2.0"
    info = client.get(link["href"].removeprefix("http://testserver")).json()
    # Megalodon and other libraries read this field if the software is unknown to the library.
    assert info["metadata"]["upstream"]["name"] == "mastodon"


def test_cross_origin_requests_can_read_well_known_addresses_and_pictures(alice):
    client = Client()
    client.force_login(alice)
    post = publish_picture(client, picture())
    account = Api(alice).get("accounts/verify_credentials").json()
    for path in (
        f"{WEBFINGER}?resource=acct:alice@testserver",
        "/.well-known/host-meta",
        "/.well-known/nodeinfo",
        "/nodeinfo/2.0",
        account["avatar"].removeprefix("http://testserver"),
        f"/media/pictures/{post.media[0]['name']}-small.webp",
    ):
        response = Client().get(path, headers={"Origin": "https://app.example"})
        response.close()
        assert response.status_code == 200, path
        assert response["Access-Control-Allow-Origin"] == "*", path
        assert not response.has_header("Access-Control-Allow-Credentials")
    page = client.get("/", headers={"Origin": "https://app.example"})
    assert not page.has_header("Access-Control-Allow-Origin")
