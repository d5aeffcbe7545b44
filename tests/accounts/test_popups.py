"""Apps that log people in by a pop-up: no page on the way cuts its tie to the window of the app."""

from urllib.parse import quote, urlsplit

import pytest

from tests.api.test_oauth import app, asked
from tests.factories import PASSWORD

LOG_IN, SIGN_UP, AGAIN = "/accounts/login/", "/accounts/signup/", "/accounts/reauthenticate/"
POLICY = "Cross-Origin-Opener-Policy"
AUTHORIZE = "/oauth/authorize?client_id=x"


def test_from_the_app_to_its_question_by_the_log_in_page(client, alice):
    pages = [client.get("/oauth/authorize", asked(app()))]
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


def test_a_wrong_password_on_the_way_changes_nothing(client, alice):
    answer = client.post(LOG_IN, {"login": "alice", "password": "wrong", "next": AUTHORIZE})
    assert (answer.status_code, answer[POLICY]) == (200, "unsafe-none")


@pytest.mark.parametrize("path", [LOG_IN, SIGN_UP])
@pytest.mark.parametrize(
    ("following", "policy"),
    [
        ("", "same-origin"),
        ("/", "same-origin"),
        ("https://evil.example/oauth/authorize", "same-origin"),
        (AUTHORIZE, "unsafe-none"),
    ],
)
def test_only_what_leads_to_an_app_keeps_the_opener(client, path, following, policy):
    assert client.get(f"{path}?next={quote(following)}")[POLICY] == policy


def test_saying_the_password_again_on_the_way_keeps_the_opener(client, alice):
    client.force_login(alice)
    assert client.get(AGAIN, {"next": AUTHORIZE})[POLICY] == "unsafe-none"
    assert client.get(AGAIN)[POLICY] == "same-origin"


def test_the_page_for_codes_keeps_the_opener(client):
    answer = client.get("/accounts/2fa/authenticate/")
    assert urlsplit(answer["Location"]).path == LOG_IN
    assert answer[POLICY] == "unsafe-none"
