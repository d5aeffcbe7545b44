"""App registration, cross-origin requests, rate limits and discovery documents."""

import pytest
from django.test import Client

from accounts.oauth.models import Application
from accounts.user_cards import card_from_user
from tests.api.api_client import Api
from tests.api.test_oauth import OOB


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//evil.example",
        "no-scheme",
        "https://",
        "https://app.example/#part",
        "https://*.example/",
        "vbscript:x",
        "https://app.example:port/",
        "",
    ],
)
def test_invalid_redirect_uris_are_rejected(uri):
    data = {"client_name": "An app", "redirect_uris": uri}
    assert Api().post("apps", **data).status_code == 422
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"scopes": "all"},
        {"client_name": ""},
        {"client_name": "x" * 61},
        {"website": "javascript:x"},
    ],
)
def test_invalid_apps_are_rejected(changes):
    data = {"client_name": "An app", "redirect_uris": OOB} | changes
    assert Api().post("apps", **data).status_code == 422


def test_app_registrations_are_rate_limited(settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"app": "2/h"}
    answers = [Api().post("apps", client_name="One more", redirect_uris=OOB) for _ in range(3)]
    assert [response.status_code for response in answers] == [200, 200, 429]
    answer = answers[-1]
    assert int(answer["Retry-After"]) > 0


def test_cross_origin_requests_need_a_token_and_ignore_cookies(client, alice):
    client.force_login(alice)
    answer = client.get(
        "/api/v1/accounts/verify_credentials", headers={"Origin": "https://app.example"}
    )
    assert answer.status_code == 401
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer
    headers = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    for path in ("/oauth/token", "/oauth/userinfo"):
        answer = Client().options(path, headers=headers)
        assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in client.get("/", headers=headers)


def test_the_oauth_metadata_names_endpoints_and_scopes():
    body = Api().get("/.well-known/oauth-authorization-server").json()
    assert body["token_endpoint"] == "http://testserver/oauth/token"
    assert "write:statuses" in body["scopes_supported"]
    assert body["code_challenge_methods_supported"] == ["S256"]


def test_every_response_contains_the_remaining_rate_limit(settings, alice):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"api": "2/5m"}
    api = Api(alice)
    remaining = [api.get("accounts/verify_credentials")["X-RateLimit-Remaining"] for _ in range(2)]
    assert remaining == ["1", "0"]
    answer = api.get("accounts/verify_credentials")
    assert answer.status_code == 429
    assert answer["X-RateLimit-Remaining"] == "0"
    assert int(answer["Retry-After"]) > 0
    assert answer.json()["error"]


def test_missing_endpoints_return_a_json_error():
    answer = Api().get("nothing/here")
    assert (answer.status_code, set(answer.json())) == (404, {"error"})


def test_the_profile_scope_only_reveals_the_identity(alice):
    api = Api(alice, "profile")
    body = api.get("/oauth/userinfo").json()
    assert body == {
        "iss": "http://testserver",
        "sub": str(alice.pk),
        "name": "Alice Adams",
        "preferred_username": "alice",
        "profile": "http://testserver/@alice/",
        "picture": f"http://testserver{card_from_user(user=alice).bitmap_avatar_url}",
    }
    assert api.get("accounts/verify_credentials").json()["username"] == "alice"
    assert api.get("timelines/home").status_code == 403
    assert Api(alice, "read").get("/oauth/userinfo").status_code == 403
