"""A username may be followed by the host of this site, as apps and other sites write usernames."""

import pytest

from tests.api.api_client import Api
from tests.factories import publish

from .search_results import found_texts, found_usernames

NAMES = ("bob@testserver", "@bob@testserver", "@Bob@TestServer", "\uff20bob\uff20testserver")
OTHERS = ("bob@elsewhere.example", "bob@testserver@testserver", "@testserver")


@pytest.mark.parametrize(
    ("name", "status"), [*((n, 200) for n in NAMES), *((n, 422) for n in OTHERS)]
)
def test_a_recipient_may_have_the_own_host(client, alice, bob, name, status):
    client.force_login(alice)
    response = client.get("/messages/new/", {"to": name})
    assert response.status_code == status
    assert ("@bob </textarea>" in response.content.decode()) is (status == 200)


@pytest.mark.parametrize("tab", ["", "comments/", "pictures/"])
def test_the_path_of_a_profile_with_the_own_host_redirects(client, bob, tab):
    for name in ("bob@testserver", "Bob@TestServer", "bob%40testserver"):
        response = client.get(f"/@{name}/{tab}")
        assert (response.status_code, response.headers.get("Location")) == (302, f"/@bob/{tab}")
    for name in OTHERS:
        assert client.get(f"/@{name}/{tab}").status_code == 404


@pytest.mark.parametrize("path", ["followers/", "following/", "feed/", "tagged/tea/"])
def test_other_pages_of_a_profile_accept_the_own_host(client, bob, path):
    assert client.get(f"/@bob@testserver/{path}", follow=True).status_code == 200
    assert client.get(f"/@bob@elsewhere.example/{path}").status_code == 404


def test_the_search_accepts_the_own_host(search, alice, bob):
    publish(bob, "rain")
    for name in NAMES:
        assert found_usernames(search(name)) == ["bob"]
        assert found_texts(search(f"rain from:{name}", "posts")) == ["rain"]
        lookup = Api(alice).get("accounts/lookup", acct=name)
        assert lookup.json()["username"] == "bob"
        for query in (name, "http://testserver/@" + name.lstrip("@\uff20")):
            accounts = Api(alice).get("/api/v2/search", q=query, resolve="true").json()["accounts"]
            assert [account["username"] for account in accounts] == ["bob"], query
    for name in OTHERS:
        assert found_usernames(search(name)) == []
        assert Api(alice).get("accounts/lookup", acct=name).status_code == 404


def test_completions_accept_the_own_host(client, alice, bob):
    client.force_login(alice)
    page = client.get("/search/completions/", {"q": "@bob@testserver"}).content.decode()
    assert "@bob" in page
