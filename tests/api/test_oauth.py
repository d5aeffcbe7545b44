"""Apps ask people, get tokens, and lose them again."""

import base64
import hashlib
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.hashers import get_hashers, make_password
from django.test import Client
from django.urls import reverse

from accounts.oauth.models import AccessToken, Application, Grant
from accounts.services.account_status import suspend_user
from tests.api.api_client import Api, token_of
from tests.factories import PASSWORD
from tests.log_ins import log_in

OOB = "urn:ietf:wg:oauth:2.0:oob"
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?')
VERIFIER = "v" * 64
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
)


def app(**changes):
    sent = {"client_name": "An app", "redirect_uris": OOB, "scopes": "read write:statuses"}
    answer = Api().post("apps", **(sent | changes))
    assert answer.status_code == 200, answer.json()
    return answer.json()


def asked(client_app, **changes):
    return {
        "response_type": "code",
        "client_id": client_app["client_id"],
        "redirect_uri": client_app["redirect_uris"][0],
        "scope": "read",
        "state": "abc",
    } | changes


def allow(client, client_app, *, is_allowed=True, **changes):
    """What the page answers to the person."""
    page = client.get("/oauth/authorize", asked(client_app, **changes))
    assert page.status_code == 200, page.content.decode()
    fields = dict(HIDDEN.findall(page.content.decode()))
    return client.post("/oauth/authorize", fields | ({"allow": "yes"} if is_allowed else {}))


def code_in(answer):
    if answer.status_code == 302:
        return parse_qs(urlsplit(answer["Location"]).query)["code"][0]
    return re.search(r'<code[^>]* id="code">([^<]+)<', answer.content.decode())[1]


def exchange(client_app, code, /, **changes):
    sent = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client_app["client_id"],
        "client_secret": client_app["client_secret"],
        "redirect_uri": client_app["redirect_uris"][0],
    } | changes
    return Client().post("/oauth/token", sent)


@pytest.fixture
def person(client, alice):
    log_in(client, alice)
    return client


def test_an_app_gets_a_token_from_a_person(person, alice):
    client_app = app()
    answer = exchange(client_app, code_in(allow(person, client_app))).json()
    assert set(answer) == {"access_token", "token_type", "scope", "created_at"}
    assert answer["scope"] == "read"
    api = Api(token=answer["access_token"])
    assert api.get("accounts/verify_credentials").json()["username"] == "alice"
    assert api.post("statuses", status="No").status_code == 403
    assert api.get("apps/verify_credentials").json()["name"] == "An app"


def test_neither_tokens_nor_secrets_are_kept_as_they_are(person):
    client_app = app()
    token = exchange(client_app, code_in(allow(person, client_app))).json()["access_token"]
    remaining = str(Application.objects.values().get()) + str(AccessToken.objects.values().get())
    assert token not in remaining
    assert client_app["client_secret"] not in remaining


def test_client_secrets_are_checked_without_slow_hashing(person):
    registered = app()
    stored = Application.objects.get().client_secret
    algorithm, iterations, *_ = stored.split("$")
    assert (algorithm, iterations) == ("client_secret", "1")
    assert algorithm in [hasher.algorithm for hasher in get_hashers()]
    code = code_in(allow(person, registered))
    assert exchange(registered, code, client_secret="wrong").status_code == 401
    assert exchange(registered, code).status_code == 200


def test_client_secrets_that_were_hashed_slowly_still_work(person):
    registered = app()
    slow = make_password(registered["client_secret"], hasher="pbkdf2_sha256")
    Application.objects.update(client_secret=slow)
    assert exchange(registered, code_in(allow(person, registered))).status_code == 200


def test_passwords_are_never_hashed_like_client_secrets(alice):
    alice.set_password("a new password")
    assert alice.password.startswith("pbkdf2_sha256$")


def test_a_code_works_once(person):
    client_app = app()
    code = code_in(allow(person, client_app))
    assert exchange(client_app, code).status_code == 200
    again = exchange(client_app, code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


def test_a_code_that_comes_again_revokes_the_token_it_gave(person):
    client_app, other = app(), app()
    token = exchange(client_app, code := code_in(allow(person, client_app))).json()["access_token"]
    remaining = exchange(client_app, code_in(allow(person, client_app))).json()["access_token"]
    assert exchange(other, code).status_code == 400
    assert Api(token=token).get("accounts/verify_credentials").status_code == 200
    assert exchange(client_app, code).status_code == 400
    assert Api(token=token).get("accounts/verify_credentials").status_code == 401
    assert Api(token=remaining).get("accounts/verify_credentials").status_code == 200


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"client_secret": "wrong"}, 401),
        ({"client_id": "nobody"}, 401),
        ({"redirect_uri": "https://evil.example/"}, 400),
        ({"code": "guessed"}, 400),
        ({"grant_type": "password", "username": "alice", "password": PASSWORD}, 400),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, 400),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}, 400),
        ({"grant_type": ""}, 400),
    ],
)
def test_whoever_lacks_something_gets_no_token(person, changes, status):
    client_app = app()
    answer = exchange(client_app, code_in(allow(person, client_app)), **changes)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert not AccessToken.objects.exists()


def test_a_code_of_one_app_is_nothing_to_another(person):
    client_app, other = app(), app()
    code = code_in(allow(person, client_app))
    assert exchange(other, code).status_code == 400


def test_who_comes_with_a_challenge_needs_the_verifier(person):
    client_app = app()
    proof = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    without = code_in(allow(person, client_app, **proof))
    assert exchange(client_app, without).status_code == 400
    wrong = code_in(allow(person, client_app, **proof))
    assert exchange(client_app, wrong, code_verifier="w" * 64).status_code == 400
    right = code_in(allow(person, client_app, **proof))
    assert exchange(client_app, right, code_verifier=VERIFIER).status_code == 200


def test_challenges_in_plain_text_are_refused(person):
    client_app = app(redirect_uris="https://app.example/back")
    plain = {"code_challenge": VERIFIER, "code_challenge_method": "plain"}
    answer = person.get("/oauth/authorize", asked(client_app, **plain))
    assert "code=" not in answer.get("Location", "")
    assert not Grant.objects.exists()


def test_the_person_goes_back_to_the_app_with_its_state(person):
    client_app = app(redirect_uris="https://app.example/back\ntusky://oauth")
    answer = allow(person, client_app)
    assert answer["Location"].startswith("https://app.example/back?")
    sent = parse_qs(urlsplit(answer["Location"]).query)
    assert sent["state"] == ["abc"]
    assert sent["iss"] == [Api().get("/.well-known/oauth-authorization-server").json()["issuer"]]
    answer = allow(person, client_app, redirect_uri="tusky://oauth")
    assert answer["Location"].startswith("tusky://oauth?code=")


def test_browsers_may_follow_the_form_to_the_app_and_nowhere_else(person):
    client_app = app(redirect_uris="https://app.example/back\ntusky://oauth")
    for target, source in (
        ("https://app.example/back", "https://app.example"),
        ("tusky://oauth", "tusky:"),
    ):
        page = person.get("/oauth/authorize", asked(client_app, redirect_uri=target))
        policy = page["Content-Security-Policy"]
        assert f"form-action 'self' {source};" in f"{policy};"


def test_who_says_no_gives_no_code(person):
    client_app = app(redirect_uris="https://app.example/back")
    answer = allow(person, client_app, is_allowed=False)
    assert parse_qs(urlsplit(answer["Location"]).query)["error"] == ["access_denied"]
    client_app = app()
    assert "Access denied" in allow(person, client_app, is_allowed=False).content.decode()
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": "https://app.example/back/other"},
        {"client_id": "nobody"},
        {"client_id": ""},
    ],
)
def test_nobody_is_sent_where_the_app_has_not_said_at_first(person, changes):
    client_app = app(redirect_uris="https://app.example/back")
    answer = person.get("/oauth/authorize", asked(client_app, **changes))
    assert answer.status_code == 400
    assert "Location" not in answer


@pytest.mark.parametrize(
    "changes",
    [{"scope": "write"}, {"scope": "admin:read"}, {"scope": "bogus"}, {"response_type": "token"}],
)
def test_an_app_gets_no_more_than_it_said_at_first(person, changes):
    client_app = app(redirect_uris="https://app.example/back")
    answer = person.get("/oauth/authorize", asked(client_app, **changes))
    assert answer.status_code == 302
    assert "error=" in answer["Location"]
    assert not Grant.objects.exists()


def test_finer_scopes_are_part_of_broader_ones(person):
    client_app = app(scopes="read")
    token = exchange(client_app, code_in(allow(person, client_app, scope="read:accounts"))).json()
    assert token["scope"] == "read:accounts"
    api = Api(token=token["access_token"])
    assert api.get("accounts/verify_credentials").status_code == 200
    assert api.get("timelines/home").status_code == 403


def test_who_is_not_logged_in_logs_in_first_and_comes_back(client, alice):
    client_app = app()
    answer = client.get("/oauth/authorize", asked(client_app))
    assert answer["Location"].startswith(f"{reverse('account_login')}?next=/oauth/authorize")


def test_a_slash_behind_the_addresses_of_oauth_makes_no_difference(client, alice):
    client_app = app()
    answer = client.get("/oauth/authorize/", asked(client_app))
    assert answer["Location"].startswith(f"{reverse('account_login')}?next=/oauth/authorize%3F")
    log_in(client, alice)
    assert client.get("/oauth/authorize/", asked(client_app)).status_code == 200
    answer = client.post("/oauth/token/", {}, headers={"Origin": "https://app.example"})
    assert answer.status_code == 400
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_an_app_may_act_for_itself(alice):
    client_app = app()
    sent = {
        "grant_type": "client_credentials",
        "client_id": client_app["client_id"],
        "client_secret": client_app["client_secret"],
        "scope": "read",
    }
    answer = Client().post("/oauth/token", sent, content_type="application/json").json()
    api = Api(token=answer["access_token"])
    assert api.get("apps/verify_credentials").status_code == 200
    assert api.get("timelines/public").status_code == 200
    assert api.get("timelines/home").status_code == 422
    too_much = Client().post("/oauth/token", sent | {"scope": "write"})
    assert too_much.json()["error"] == "invalid_scope"


def test_a_token_is_revoked_by_its_app_only(person):
    client_app, other = app(), app()
    token = exchange(client_app, code_in(allow(person, client_app))).json()["access_token"]
    api = Api(token=token)

    def revoke(by):
        sent = {"client_id": by["client_id"], "client_secret": by["client_secret"], "token": token}
        return Client().post("/oauth/revoke", sent)

    revoke(other)
    assert api.get("accounts/verify_credentials").status_code == 200
    assert revoke(client_app).json() == {}
    assert api.get("accounts/verify_credentials").status_code == 401
    assert revoke(client_app).status_code == 200


def test_people_see_their_apps_and_take_back_what_they_may(person, alice, bob):
    client_app = app()
    api = Api(token=exchange(client_app, code_in(allow(person, client_app))).json()["access_token"])
    others = Api(token=token_of(bob))
    page = person.get(reverse("authorized_apps")).content.decode()
    assert "An app" in page
    assert "Test app" not in page
    mine = Application.objects.get(name="An app")
    theirs = Application.objects.get(name="Test app")
    assert person.post(reverse("revoke_app", args=[theirs.pk])).status_code == 404
    assert person.post(reverse("revoke_app", args=[mine.pk])).status_code == 302
    assert api.get("accounts/verify_credentials").status_code == 401
    assert others.get("accounts/verify_credentials").status_code == 200
    assert (
        "No apps have access to your account"
        in person.get(reverse("authorized_apps")).content.decode()
    )


def test_a_closed_account_can_do_nothing_by_its_apps(alice):
    api = Api(alice)
    suspend_user(uid=alice.pk)
    answer = api.get("accounts/verify_credentials")
    assert (answer.status_code, set(answer.json())) == (403, {"error"})


def test_a_new_password_by_mail_ends_what_apps_may_do(alice, client, mailoutbox):
    api = Api(alice)
    client.post(reverse("account_reset_password"), {"email": alice.email})
    (link,) = re.findall(r"http://testserver(/\S+)", mailoutbox[0].body)
    page = client.get(link, follow=True)
    client.post(page.redirect_chain[-1][0], {"password1": PASSWORD * 2, "password2": PASSWORD * 2})
    assert api.get("accounts/verify_credentials").status_code == 401
