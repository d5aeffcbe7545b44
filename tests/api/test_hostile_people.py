"""Endpoints about accounts respond to odd input with JSON and without a server error."""

import json

import pytest

from tests.api.api_client import Api

NO_OBJECTS = ["[]", '"x"', "{", "null"]
ODD_BODIES = [
    '{"id": {"a": {"b": 1}}, "q": [], "acct": {}, "note": 5, "avatar": "x", "domain": null}',
    '{"id": [null, "", "²", "-1"], "q": "\\ud800", "acct": "a\\u0000b", "display_name": "\\ud800"}',
    '{"limit": 1e400, "offset": true, "q": "x", "duration": 1e99, "reblogs": [1], "locked": {}}',
    '{"limit": 99999999999999999999999, "id": "9999999999999999999", "max_id": "9999999999999999999"}',
    '{"max_id": "", "min_id": " ", "since_id": "", "account_id": "", "q": "x", "id": ""}',
    '{"username": {}, "email": ["a"], "password": 5, "agreement": "maybe", "invite_code": {"a": 1}}',
]
GET_PATHS = [
    "accounts",
    "accounts/lookup",
    "accounts/search",
    "accounts/relationships",
    "directory",
]
GET_PATHS += ["accounts/familiar_followers", "blocks", "mutes", "follow_requests", "/api/v2/search"]
GET_PATHS += ["suggestions", "/api/v2/suggestions", "domain_blocks", "endorsements", "preferences"]
ACCOUNT_LISTS = ["statuses", "followers", "following", "lists", "featured_tags"]
ACCOUNT_ACTIONS = [
    "follow",
    "unfollow",
    "block",
    "unblock",
    "mute",
    "unmute",
    "note",
    "remove_from_followers",
]


def send_odd_body(client, body, requests):
    for method, path in requests:
        full = path if path.startswith("/") else f"/api/v1/{path}"
        response = client.generic(method, full, body, content_type="application/json")
        assert response.status_code < 500, (method, path, response.content)
        content = json.loads(response.content)
        assert response.status_code < 400 or content["error"], (method, path)


@pytest.mark.parametrize("body", NO_OBJECTS)
def test_bodies_without_an_object_get_json(alice, bob, body):
    """All endpoints share the parser of bodies."""
    requests = [
        ("GET", "accounts/lookup"),
        ("POST", f"accounts/{bob.pk}/mute"),
        ("POST", "accounts"),
    ]
    requests += [("PATCH", "accounts/update_credentials"), ("DELETE", "profile/avatar")]
    send_odd_body(Api(alice)._client, body, requests)


@pytest.mark.parametrize(
    "body",
    [*ODD_BODIES[:3], *(pytest.param(body, marks=pytest.mark.slow) for body in ODD_BODIES[3:])],
)
def test_odd_bodies_get_json(alice, bob, body):
    requests = [("GET", path) for path in GET_PATHS]
    requests += [("GET", f"accounts/{bob.pk}/{name}") for name in ACCOUNT_LISTS]
    requests += [("POST", f"accounts/{bob.pk}/{name}") for name in ACCOUNT_ACTIONS]
    requests += [("PATCH", "accounts/update_credentials"), ("POST", "accounts")]
    requests += [("POST", "domain_blocks"), ("DELETE", "profile/avatar")]
    send_odd_body(Api(alice)._client, body, requests)


def test_impossible_ids_are_not_found(alice):
    api = Api(alice)
    for uid in ("0", "9" * 19, "1" * 18, "-1", "x", "1.5", "%00"):
        for path in ("", "/statuses", "/followers"):
            assert api.get(f"accounts/{uid}{path}").status_code == 404, (uid, path)
        assert api.post(f"accounts/{uid}/follow").status_code == 404, uid
