"""No endpoint reveals content that is invisible to the viewer."""

from itertools import product

import pytest

from accounts.models import User
from accounts.services.account_status import deactivate_account, suspend_user
from accounts.services.blocks_and_mutes import block_user
from accounts.services.moderation import set_limited
from accounts.services.profiles import set_private
from feed.models import Picture
from notifications.live import stream_requests
from socialsite.moderation.services.reports import create_report
from tests.actions import like_post, share_post
from tests.api.api_client import Api
from tests.factories import publish
from tests.feed.comment_helpers import say

pytestmark = pytest.mark.usefixtures("every_cache")

READ_PATHS = (
    "",
    "/context",
    "/history",
    "/source",
    "/favourited_by",
    "/reblogged_by",
    "/card",
    "/quotes",
)
ACTIONS = ("favourite", "unfavourite", "bookmark", "reblog", "unreblog", "pin", "mute", "translate")


def assert_not_found(api, status):
    """Assert that every endpoint responds as if the status did not exist."""
    for path in READ_PATHS:
        assert api.get(f"statuses/{status}{path}").status_code == 404, path
    for path in ACTIONS:
        assert api.post(f"statuses/{status}/{path}").status_code == 404, path
    assert api.put(f"statuses/{status}", status="Mine now").status_code == 404
    assert api.delete(f"statuses/{status}").status_code == 404
    assert api.post("statuses", status="x", in_reply_to_id=str(status)).status_code == 404
    assert api.get("statuses", **{"id[]": status}).json() == []
    assert api.post(f"conversations/{status}/read").status_code == 404
    assert api.get(f"socialsite/statuses/{status}/delivery").status_code == 404


REASONS = ("followers", "direct", "private", "blocks", "blocked", "suspended", "limited")


@pytest.fixture(params=REASONS)
def hidden_statuses(request, alice, bob, carol):
    """Return a post and a comment by alice that are invisible to bob. The parameter is the reason."""
    reason = request.param
    visibility = reason if reason in ("followers", "direct") else "public"
    post = publish(alice, "@carol a secret #tea", visibility)
    comment = say(post, alice, "and more")
    match reason:
        case "private":
            set_private(uid=alice.pk, is_private=True)
        case "blocks":
            block_user(owner=alice.pk, other=bob.pk)
        case "blocked":
            block_user(owner=bob.pk, other=alice.pk)
        case "suspended":
            suspend_user(uid=alice.pk)
        case "limited":
            set_limited(uid=alice.pk, is_limited=True)
    return {"post": post, "comment": comment}


@pytest.mark.parametrize(
    ("every_cache", "kind", "hidden_statuses"),
    [
        *product(["collection"], ["post", "comment"], REASONS),
        # Only these depend on what the shared cache has of a user.
        pytest.param("redis", "post", "suspended", marks=pytest.mark.slow),
        pytest.param("redis", "post", "limited", marks=pytest.mark.slow),
    ],
    indirect=["every_cache", "hidden_statuses"],
)
def test_invisible_posts_are_not_found(bob, hidden_statuses, kind):
    assert_not_found(Api(bob), hidden_statuses[kind])


def test_invisible_posts_are_in_no_list(alice, bob, hidden_statuses):
    api, post = Api(bob), hidden_statuses["post"]
    report = {"account_id": str(alice.pk), "status_ids": [str(post)]}
    assert api.post("reports", **report).status_code == 404
    lists = ("timelines/home", "timelines/public", "timelines/tag/tea", "trends/statuses")
    for path in (*lists, f"accounts/{alice.pk}/statuses", "conversations"):
        assert "secret" not in api.get(path).content.decode()
    assert api.get("/api/v2/search", q="secret").json()["statuses"] == []


@pytest.mark.parametrize("viewer_name", ["alice", "bob"])
def test_blocked_users_are_not_named_to_each_other(alice, bob, carol, viewer_name):
    post = publish(carol, "hello")
    for user in (alice, bob):
        like_post(post_id=post, actor=user)
        share_post(post_id=post, actor=user)
    first = say(post, alice, "words of alice")
    say(post, bob, "an answer", parent=first)
    block_user(owner=alice.pk, other=bob.pk)
    viewer, other = (alice, bob) if viewer_name == "alice" else (bob, alice)
    api, name = Api(viewer), f'"username":"{other.username}"'
    for path in (
        f"statuses/{post}/favourited_by",
        f"statuses/{post}/reblogged_by",
        f"statuses/{post}/context",
        f"accounts/{carol.pk}/followers",
        f"accounts/search?q={other.username}",
        f"/api/v2/search?q={other.username}",
        "directory",
        "timelines/public",
    ):
        assert name not in api.get(path).content.decode(), path


def test_pictures_of_other_users_cannot_be_shown_described_or_published(alice, bob):
    picture = Picture.objects.create(owner=alice.pk, name="0" * 32, width=9, height=9)
    api = Api(bob)
    assert api.get(f"media/{picture.pk}").status_code == 404
    assert api.put(f"media/{picture.pk}", description="Mine").status_code == 404
    assert api.delete(f"media/{picture.pk}").status_code == 404
    response = api.post("statuses", status="Mine", media_ids=[str(picture.pk)])
    assert response.status_code in (404, 422)
    picture.refresh_from_db()
    assert (picture.alt, picture.post) == ("", None)


def test_idempotency_keys_are_per_user(alice, bob):
    key = {"Idempotency-Key": "the same"}
    statuses = [
        Api(user).post("statuses", status="Hello", headers=key).json() for user in (alice, bob)
    ]
    assert [status["account"]["username"] for status in statuses] == ["alice", "bob"]


@pytest.mark.urls(stream_requests.URLCONF)  # all endpoints, also the streams
@pytest.mark.parametrize("deactivate", [suspend_user, deactivate_account])
def test_tokens_of_inactive_users_do_not_work(alice, deactivate):
    api = Api(alice)
    deactivate(uid=alice.pk)
    for path in ("timelines/home", "timelines/public", "apps/verify_credentials", "streaming/user"):
        assert api.get(path).status_code == 403, path
    User.objects.filter(pk=alice.pk).delete()
    assert api.get("timelines/home").status_code == 401


def test_links_use_the_site_url_and_not_the_host_header(alice):
    api = Api(alice)
    response = api._client.get(
        "/api/v1/timelines/tag/%E8%8C%B6%0A%3E%3B?max_id=5&x=%0Ay%3E",
        headers={"Host": "testserver"},
    )
    assert response["Link"].startswith(
        "<http://testserver/api/v1/timelines/tag/%E8%8C%B6%0A%3E%3B?"
    )
    assert not set(response["Link"].split("<", 1)[1].split(">")[0]) & set('<>" \n')
    response = api._client.get("/api/v1/instance", headers={"Host": "evil.example"})
    assert "evil.example" not in response.content.decode()


def test_responses_are_not_cached(alice):
    for api in (Api(alice), Api()):
        for path in ("timelines/public", "accounts/lookup?acct=alice", "nothing", "timelines/home"):
            response = api.get(path)
            assert "public" not in response.get("Cache-Control", ""), path
            assert path == "nothing" or "no-store" in response["Cache-Control"], path


def test_moderators_can_act_on_the_reported_user(alice, bob, carol, admin_user):
    report = {"reporter": alice, "kind": "person", "subject_id": bob.pk, "category": "spam"}
    case = create_report(**report)
    api = Api(admin_user, "admin:write")
    action = {"type": "none", "report_id": str(case.pk)}
    assert api.post(f"admin/accounts/{carol.pk}/action", **action).status_code == 404
    assert api.post(f"admin/accounts/{bob.pk}/action", **action).status_code == 200


def test_a_report_names_a_limited_number_of_posts(alice, bob):
    report = {"account_id": str(bob.pk), "status_ids": [str(publish(bob))] * 41}
    assert Api(alice).post("reports", **report).status_code == 422
