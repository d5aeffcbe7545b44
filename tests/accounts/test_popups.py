"""Log-in in an app's pop-up window: all pages up to the consent page keep the opener window."""

from urllib.parse import quote, urlsplit

import pytest

from tests.api.test_oauth import authorization_query, register_app
from tests.factories import PASSWORD

LOG_IN, SIGN_UP, REAUTHENTICATE = (
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/reauthenticate/",
)
POLICY = "Cross-Origin-Opener-Policy"
AUTHORIZE = "/oauth/authorize?client_id=x"


def test_all_pages_from_the_app_to_the_consent_page_keep_the_opener(client, alice):
    pages = [client.get("/oauth/authorize", authorization_query(register_app()))]
    assert pages[-1].status_code == 302
    pages.append(client.get(pages[-1]["Location"]))
    form = {
        "login": "alice",
        "password": PASSWORD,
        "next": pages[1].context["redirect_field_value"],
    }
    pages.append(client.post(LOG_IN, form))
    assert pages[-1]["Location"].startswith("/oauth/authorize")
    pages.append(client.get(pages[-1]["Location"]))
    assert pages[-1].status_code == 200
    assert [page[POLICY] for page in pages] == ["unsafe-none"] * 4


def test_a_wrong_password_keeps_the_opener(client, alice):
    response = client.post(LOG_IN, {"login": "alice", "password": "wrong", "next": AUTHORIZE})
    assert (response.status_code, response[POLICY]) == (200, "unsafe-none")


@pytest.mark.parametrize("path", [LOG_IN, SIGN_UP])
@pytest.mark.parametrize(
    ("next_url", "policy"),
    [
        ("", "same-origin"),
        ("/", "same-origin"),
        ("https://evil.example/oauth/authorize", "same-origin"),
        (AUTHORIZE, "unsafe-none"),
    ],
)
def test_only_pages_that_lead_to_an_app_keep_the_opener(client, path, next_url, policy):
    assert client.get(f"{path}?next={quote(next_url)}")[POLICY] == policy


def test_reauthentication_keeps_the_opener(client, alice):
    client.force_login(alice)
    assert client.get(REAUTHENTICATE, {"next": AUTHORIZE})[POLICY] == "unsafe-none"
    assert client.get(REAUTHENTICATE)[POLICY] == "same-origin"


def test_the_two_factor_page_keeps_the_opener(client):
    response = client.get("/accounts/2fa/authenticate/")
    assert urlsplit(response["Location"]).path == LOG_IN
    assert response[POLICY] == "unsafe-none"
