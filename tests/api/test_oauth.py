"""OAuth: users authorize apps, apps get tokens, and tokens are revoked."""

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


def register_app(**changes):
    data = {"client_name": "An app", "redirect_uris": OOB, "scopes": "read write:statuses"}
    response = Api().post("apps", **(data | changes))
    assert response.status_code == 200, response.json()
    return response.json()


def authorization_query(client_app, **changes):
    return {
        "response_type": "code",
        "client_id": client_app["client_id"],
        "redirect_uri": client_app["redirect_uris"][0],
        "scope": "read",
        "state": "abc",
    } | changes


def allow(client, client_app, *, is_allowed=True, **changes):
    """Submit the consent page. Return the response."""
    page = client.get("/oauth/authorize", authorization_query(client_app, **changes))
    assert page.status_code == 200, page.content.decode()
    fields = dict(HIDDEN.findall(page.content.decode()))
    return client.post("/oauth/authorize", fields | ({"allow": "yes"} if is_allowed else {}))


def code_in(response):
    if response.status_code == 302:
        return parse_qs(urlsplit(response["Location"]).query)["code"][0]
    return re.search(r'<code[^>]* id="code">([^<]+)<', response.content.decode())[1]


def exchange(client_app, code, /, **changes):
    data = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client_app["client_id"],
        "client_secret": client_app["client_secret"],
        "redirect_uri": client_app["redirect_uris"][0],
    } | changes
    return Client().post("/oauth/token", data)


@pytest.fixture
def user_client(client, alice):
    log_in(client, alice)
    return client


def test_an_app_gets_a_token_after_consent(user_client, alice):
    client_app = register_app()
    response = exchange(client_app, code_in(allow(user_client, client_app))).json()
    assert set(response) == {"access_token", "token_type", "scope", "created_at"}
    assert response["scope"] == "read"
    api = Api(token=response["access_token"])
    assert api.get("accounts/verify_credentials").json()["username"] == "alice"
    assert api.post("statuses", status="No").status_code == 403
    assert api.get("apps/verify_credentials").json()["name"] == "An app"


def test_tokens_and_client_secrets_are_stored_as_hashes(user_client):
    client_app = register_app()
    token = exchange(client_app, code_in(allow(user_client, client_app))).json()["access_token"]
    other_token = str(Application.objects.values().get()) + str(AccessToken.objects.values().get())
    assert token not in other_token
    assert client_app["client_secret"] not in other_token


def test_client_secrets_are_checked_without_slow_hashing(user_client):
    registered = register_app()
    stored = Application.objects.get().client_secret
    algorithm, iterations, *_ = stored.split("$")
    assert (algorithm, iterations) == ("client_secret", "1")
    assert algorithm in [hasher.algorithm for hasher in get_hashers()]
    code = code_in(allow(user_client, registered))
    assert exchange(registered, code, client_secret="wrong").status_code == 401
    assert exchange(registered, code).status_code == 200


def test_client_secrets_that_were_hashed_slowly_still_work(user_client):
    registered = register_app()
    slow_hash = make_password(registered["client_secret"], hasher="pbkdf2_sha256")
    Application.objects.update(client_secret=slow_hash)
    assert exchange(registered, code_in(allow(user_client, registered))).status_code == 200


def test_passwords_are_never_hashed_like_client_secrets(alice):
    alice.set_password("a new password")
    assert alice.password.startswith("pbkdf2_sha256$")


def test_a_code_can_be_exchanged_once(user_client):
    client_app = register_app()
    code = code_in(allow(user_client, client_app))
    assert exchange(client_app, code).status_code == 200
    again = exchange(client_app, code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


def test_reusing_a_code_revokes_its_token(user_client):
    client_app, other = register_app(), register_app()
    token = exchange(client_app, code := code_in(allow(user_client, client_app))).json()[
        "access_token"
    ]
    other_token = exchange(client_app, code_in(allow(user_client, client_app))).json()[
        "access_token"
    ]
    assert exchange(other, code).status_code == 400
    assert Api(token=token).get("accounts/verify_credentials").status_code == 200
    assert exchange(client_app, code).status_code == 400
    assert Api(token=token).get("accounts/verify_credentials").status_code == 401
    assert Api(token=other_token).get("accounts/verify_credentials").status_code == 200


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
def test_invalid_token_requests_are_rejected(user_client, changes, status):
    client_app = register_app()
    response = exchange(client_app, code_in(allow(user_client, client_app)), **changes)
    assert response.status_code == status
    assert response.json()["error"]
    assert not AccessToken.objects.exists()


def test_a_code_is_only_valid_for_its_app(user_client):
    client_app, other = register_app(), register_app()
    code = code_in(allow(user_client, client_app))
    assert exchange(other, code).status_code == 400


def test_a_code_with_a_challenge_requires_the_verifier(user_client):
    client_app = register_app()
    challenge = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    code_without_verifier = code_in(allow(user_client, client_app, **challenge))
    assert exchange(client_app, code_without_verifier).status_code == 400
    code_with_wrong_verifier = code_in(allow(user_client, client_app, **challenge))
    assert exchange(client_app, code_with_wrong_verifier, code_verifier="w" * 64).status_code == 400
    code_with_verifier = code_in(allow(user_client, client_app, **challenge))
    assert exchange(client_app, code_with_verifier, code_verifier=VERIFIER).status_code == 200


def test_plain_text_challenges_are_rejected(user_client):
    client_app = register_app(redirect_uris="https://app.example/back")
    plain = {"code_challenge": VERIFIER, "code_challenge_method": "plain"}
    response = user_client.get("/oauth/authorize", authorization_query(client_app, **plain))
    assert "code=" not in response.get("Location", "")
    assert not Grant.objects.exists()


def test_consent_redirects_to_the_app_with_its_state(user_client):
    client_app = register_app(redirect_uris="https://app.example/back\ntusky://oauth")
    response = allow(user_client, client_app)
    assert response["Location"].startswith("https://app.example/back?")
    data = parse_qs(urlsplit(response["Location"]).query)
    assert data["state"] == ["abc"]
    assert data["iss"] == [Api().get("/.well-known/oauth-authorization-server").json()["issuer"]]
    response = allow(user_client, client_app, redirect_uri="tusky://oauth")
    assert response["Location"].startswith("tusky://oauth?code=")


def test_error_redirects_name_the_issuer(user_client):
    client_app = register_app(redirect_uris="https://app.example/back?iss=evil&a=\ntusky://oauth")
    query = authorization_query(client_app, scope="nonsense")
    issuer = Api().get("/.well-known/oauth-authorization-server").json()["issuer"]
    for uri in ("https://app.example/back?iss=evil&a=", "tusky://oauth"):
        response = user_client.get("/oauth/authorize", {**query, "redirect_uri": uri})
        assert response["Location"].startswith(uri.partition("?")[0])
        data = parse_qs(urlsplit(response["Location"]).query)
        assert data["error"] == ["invalid_scope"]
        assert (data["state"], data["iss"]) == (["abc"], [issuer])


def test_the_content_security_policy_allows_only_the_redirect_to_the_app(user_client):
    client_app = register_app(redirect_uris="https://app.example/back\ntusky://oauth")
    for target, source in (
        ("https://app.example/back", "https://app.example"),
        ("tusky://oauth", "tusky:"),
    ):
        page = user_client.get(
            "/oauth/authorize", authorization_query(client_app, redirect_uri=target)
        )
        policy = page["Content-Security-Policy"]
        assert f"form-action 'self' {source};" in f"{policy};"


def test_denying_access_returns_no_code(user_client):
    client_app = register_app(redirect_uris="https://app.example/back")
    response = allow(user_client, client_app, is_allowed=False)
    assert parse_qs(urlsplit(response["Location"]).query)["error"] == ["access_denied"]
    client_app = register_app()
    assert "Access denied" in allow(user_client, client_app, is_allowed=False).content.decode()
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
def test_unregistered_redirect_uris_are_rejected(user_client, changes):
    client_app = register_app(redirect_uris="https://app.example/back")
    response = user_client.get("/oauth/authorize", authorization_query(client_app, **changes))
    assert response.status_code == 400
    assert "Location" not in response


@pytest.mark.parametrize(
    "changes",
    [{"scope": "write"}, {"scope": "admin:read"}, {"scope": "bogus"}, {"response_type": "token"}],
)
def test_unregistered_scopes_and_response_types_are_rejected(user_client, changes):
    client_app = register_app(redirect_uris="https://app.example/back")
    response = user_client.get("/oauth/authorize", authorization_query(client_app, **changes))
    assert response.status_code == 302
    assert "error=" in response["Location"]
    assert not Grant.objects.exists()


def test_narrow_scopes_are_part_of_broad_scopes(user_client):
    client_app = register_app(scopes="read")
    token = exchange(
        client_app, code_in(allow(user_client, client_app, scope="read:accounts"))
    ).json()
    assert token["scope"] == "read:accounts"
    api = Api(token=token["access_token"])
    assert api.get("accounts/verify_credentials").status_code == 200
    assert api.get("timelines/home").status_code == 403


def test_anonymous_users_are_redirected_to_the_log_in_page(client, alice):
    client_app = register_app()
    response = client.get("/oauth/authorize", authorization_query(client_app))
    assert response["Location"].startswith(f"{reverse('account_login')}?next=/oauth/authorize")


def test_trailing_slashes_of_oauth_urls_are_optional(client, alice):
    client_app = register_app()
    response = client.get("/oauth/authorize/", authorization_query(client_app))
    assert response["Location"].startswith(f"{reverse('account_login')}?next=/oauth/authorize%3F")
    log_in(client, alice)
    assert client.get("/oauth/authorize/", authorization_query(client_app)).status_code == 200
    response = client.post("/oauth/token/", {}, headers={"Origin": "https://app.example"})
    assert response.status_code == 400
    assert response["Access-Control-Allow-Origin"] == "*"


def test_client_credentials_return_an_app_only_token(alice):
    client_app = register_app()
    data = {
        "grant_type": "client_credentials",
        "client_id": client_app["client_id"],
        "client_secret": client_app["client_secret"],
        "scope": "read",
    }
    response = Client().post("/oauth/token", data, content_type="application/json").json()
    api = Api(token=response["access_token"])
    assert api.get("apps/verify_credentials").status_code == 200
    assert api.get("timelines/public").status_code == 200
    assert api.get("timelines/home").status_code == 422
    rejected = Client().post("/oauth/token", data | {"scope": "write"})
    assert rejected.json()["error"] == "invalid_scope"


def test_a_token_is_revoked_by_its_app_only(user_client):
    client_app, other = register_app(), register_app()
    token = exchange(client_app, code_in(allow(user_client, client_app))).json()["access_token"]
    api = Api(token=token)

    def revoke(revoking_app):
        data = {
            "client_id": revoking_app["client_id"],
            "client_secret": revoking_app["client_secret"],
            "token": token,
        }
        return Client().post("/oauth/revoke", data)

    revoke(other)
    assert api.get("accounts/verify_credentials").status_code == 200
    assert revoke(client_app).json() == {}
    assert api.get("accounts/verify_credentials").status_code == 401
    assert revoke(client_app).status_code == 200


def test_users_see_and_revoke_their_own_apps(user_client, alice, bob):
    client_app = register_app()
    api = Api(
        token=exchange(client_app, code_in(allow(user_client, client_app))).json()["access_token"]
    )
    api_of_bob = Api(token=token_of(bob))
    page = user_client.get(reverse("authorized_apps")).content.decode()
    assert "An app" in page
    assert "Test app" not in page
    own_app = Application.objects.get(name="An app")
    app_of_bob = Application.objects.get(name="Test app")
    assert user_client.post(reverse("revoke_app", args=[app_of_bob.pk])).status_code == 404
    assert user_client.post(reverse("revoke_app", args=[own_app.pk])).status_code == 302
    assert api.get("accounts/verify_credentials").status_code == 401
    assert api_of_bob.get("accounts/verify_credentials").status_code == 200
    assert (
        "No apps have access to your account"
        in user_client.get(reverse("authorized_apps")).content.decode()
    )


def test_apps_of_suspended_users_have_no_access(alice):
    api = Api(alice)
    suspend_user(uid=alice.pk)
    response = api.get("accounts/verify_credentials")
    assert (response.status_code, set(response.json())) == (403, {"error"})


def test_a_password_reset_revokes_tokens(alice, client, mailoutbox):
    api = Api(alice)
    client.post(reverse("account_reset_password"), {"email": alice.email})
    (link,) = re.findall(r"http://testserver(/\S+)", mailoutbox[0].body)
    page = client.get(link, follow=True)
    client.post(page.redirect_chain[-1][0], {"password1": PASSWORD * 2, "password2": PASSWORD * 2})
    assert api.get("accounts/verify_credentials").status_code == 401
