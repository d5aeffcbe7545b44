"""Scheduled posts in the API."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from feed.models import Picture, Post
from feed.services.drafts import publish_draft
from feed.store.collections import drafts
from feed.store.comments import get_comment
from tests.actions import add_comment, publish_post
from tests.api.api_client import Api, link
from tests.factories import publish
from tests.feed.draft_helpers import draft_of, schedule, stored
from tests.feed.picture_uploads import uploaded
from tests.uploads import picture

IN_AN_HOUR = timedelta(hours=1)


def iso(moment):
    return moment.isoformat().replace("+00:00", "Z")


def soon(**more):
    return (timezone.now() + IN_AN_HOUR + timedelta(**more)).replace(microsecond=0)


def test_a_post_is_scheduled_read_rescheduled_and_deleted(alice, bob):
    api, at = Api(alice), soon()
    scheduled = api.post(
        "statuses",
        status="Later",
        spoiler_text="Tea",
        visibility="private",
        language="de",
        scheduled_at=iso(at),
    ).json()
    assert scheduled["scheduled_at"] == iso(at).replace("Z", ".000Z")
    application_id = scheduled["params"].pop("application_id")
    assert application_id > 0
    assert scheduled["params"] == {
        "text": "Later",
        "poll": None,
        "media_ids": None,
        "sensitive": True,
        "spoiler_text": "Tea",
        "visibility": "private",
        "in_reply_to_id": None,
        "language": "de",
        "quoted_status_id": None,
        "quote_approval_policy": "public",
        "scheduled_at": None,
        "idempotency": None,
        "with_rate_limit": False,
    }
    assert not Post.objects.exists()
    path = f"scheduled_statuses/{scheduled['id']}"
    assert api.get(path).json()["params"]["text"] == "Later"
    for other in (api.get("scheduled_statuses/1"), Api(bob).get(path), Api(bob).delete(path)):
        assert other.status_code == 404
    assert Api(bob).put(path, scheduled_at=iso(soon(hours=2))).status_code == 404
    assert Api(bob).get("scheduled_statuses").json() == []
    later = soon(hours=3)
    assert (
        api.put(path, scheduled_at=iso(later))
        .json()["scheduled_at"]
        .startswith(f"{later:%Y-%m-%dT%H:%M:%S}")
    )
    assert api.put(path).json()["id"] == scheduled["id"]
    assert stored(int(scheduled["id"]), alice).due_at == later
    assert api.delete(path).json() == {}
    assert api.delete(path).status_code == 404
    assert api.get("scheduled_statuses").json() == []


def test_times_are_in_utc_unless_they_say_otherwise(alice):
    api, at = Api(alice), soon()
    for text in (
        f"{at:%Y-%m-%dT%H:%M:%S}",
        f"{at + timedelta(hours=2):%Y-%m-%dT%H:%M:%S}+02:00",
    ):
        scheduled = api.post("statuses", status=text, scheduled_at=text).json()
        assert scheduled["scheduled_at"] == f"{at:%Y-%m-%dT%H:%M:%S}.000Z"


@pytest.mark.parametrize(
    "scheduled_at",
    [
        "tomorrow",
        "2020-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "2999-01-01",
        5,
        ["2999-01-01T00:00:00Z"],
    ],
)
def test_bad_times_are_refused(alice, scheduled_at):
    api, post = Api(alice), schedule(alice)
    response = api.post("statuses", status="x", scheduled_at=scheduled_at)
    assert (response.status_code, "error" in response.json()) == (422, True)
    response = api.put(f"scheduled_statuses/{post}", scheduled_at=scheduled_at)
    assert (response.status_code, "error" in response.json()) == (422, True)
    assert drafts().count_documents({}) == 1
    assert not Post.objects.exists()


def test_a_post_is_scheduled_at_least_five_minutes_ahead(alice):
    near = timezone.now() + timedelta(minutes=4)
    response = Api(alice).post("statuses", status="x", scheduled_at=iso(near))
    assert response.status_code == 422
    assert "five minutes" in response.json()["error"]


def test_what_cannot_be_scheduled_is_refused_with_a_reason(alice, bob):
    api, at = Api(alice), iso(soon())
    closed = publish_post(author=bob.pk, text="No comments", reply_policy="nobody")
    secret = publish(bob, visibility="followers")
    for target, inputs, status in (
        (closed, {}, 422),
        (secret, {}, 404),
        (1, {}, 404),
        (publish(bob), {"visibility": "direct"}, 422),
        (publish(bob), {"media_ids": ["5"]}, 422),
    ):
        reply = {"status": "x", "in_reply_to_id": str(target), "scheduled_at": at, **inputs}
        assert api.post("statuses", **reply).status_code == status
    for inputs in ({"status": ""}, {"status": "psst", "visibility": "direct"}):
        assert api.post("statuses", scheduled_at=at, **inputs).status_code == 422
    assert api.post("statuses", status="x", media_ids=["5"], scheduled_at=at).status_code == 422
    assert not drafts().count_documents({})


@pytest.mark.parametrize(
    ("sent", "shown", "visibility"),
    [(None, "public", ""), ("unlisted", "unlisted", ""), ("private", "private", "followers")],
)
def test_a_comment_is_scheduled_and_published(alice, bob, sent, shown, visibility):
    post, api = publish(bob), Api(alice)
    comment = add_comment(post_id=post, actor=bob, text="What do you think?")
    for target in (post, comment):
        more = {"in_reply_to_id": str(target), "spoiler_text": "Tea", "visibility": sent}
        scheduled = api.post("statuses", status="I agree", scheduled_at=iso(soon()), **more).json()
        params = scheduled["params"]
        assert (params["in_reply_to_id"], params["visibility"]) == (str(target), shown)
        assert api.get(f"scheduled_statuses/{scheduled['id']}").json() == scheduled
        published = publish_draft(draft=stored(int(scheduled["id"]), alice))
        status = api.get(f"statuses/{published}").json()
        assert (status["in_reply_to_id"], status["spoiler_text"]) == (str(target), "Tea")
        assert get_comment(post=post, id=published).visibility == visibility
    assert api.get("scheduled_statuses").json() == []
    assert Post.objects.get(pk=post).comments == (1 if visibility else 3)


def test_a_scheduled_reply_keeps_the_people_of_a_limited_comment(alice, bob):
    post, api = publish(bob), Api(alice)
    exchange = {"in_reply_to_id": str(post), "visibility": "direct"}
    limited = Api(bob).post("statuses", status="@alice only you", **exchange).json()["id"]
    reply = {"status": "Thanks", "in_reply_to_id": limited, "scheduled_at": iso(soon())}
    scheduled = api.post("statuses", **reply).json()
    assert scheduled["params"]["visibility"] == "direct"
    published = publish_draft(draft=stored(int(scheduled["id"]), alice))
    comment = get_comment(post=post, id=published)
    assert (comment.visibility, comment.recipients) == ("direct", (bob.pk,))
    assert api.post("statuses", visibility="public", **reply).status_code == 422


def test_an_empty_time_publishes_at_once(alice):
    assert Api(alice).form("statuses", {"status": "Now", "scheduled_at": ""}).json()["content"]


def test_a_repeated_request_schedules_once(alice):
    api, at = Api(alice), soon()
    headers = {"Idempotency-Key": "k"}
    first, second = (
        api.post("statuses", headers=headers, status="x", scheduled_at=iso(at)).json()
        for _request in range(2)
    )
    assert first == second
    other = api.post("statuses", headers=headers, status="y", scheduled_at=iso(at)).json()
    assert other["id"] != first["id"]
    # The same key may also publish at once.
    assert "content" in api.post("statuses", headers=headers, status="x").json()


def test_a_scheduled_poll_with_a_picture_is_published_as_it_was_sent(client, alice):
    client.force_login(alice)
    (shown,) = uploaded(client, picture())
    api = Api(alice)
    poll = {"options": ["Tea", "Coffee"], "expires_in": 7200, "multiple": True}
    scheduled = api.post(
        "statuses", status="Which?", poll=poll, media_ids=[shown], scheduled_at=iso(soon())
    ).json()
    assert scheduled["params"]["poll"] == poll | {"hide_totals": False}
    assert scheduled["params"]["media_ids"] == [shown]
    (attachment,) = scheduled["media_attachments"]
    assert (attachment["id"], attachment["type"]) == (shown, "image")
    # The picture is in use.
    assert api.delete(f"media/{shown}").status_code == 422
    again = {"status": "x", "media_ids": [shown], "scheduled_at": iso(soon())}
    assert api.post("statuses", **again).status_code == 422
    post_id = publish_draft(draft=stored(int(scheduled["id"]), alice))
    status = api.get(f"statuses/{post_id}").json()
    assert status["poll"]["multiple"]
    assert [media["id"] for media in status["media_attachments"]] == [shown]
    assert Picture.objects.get().draft is None


def test_the_list_has_pages_of_scheduled_posts_only(alice, bob, record_commands):
    api = Api(alice)
    ids = [str(schedule(alice, f"{n}")) for n in range(5)]
    draft_of(alice)
    schedule(bob)
    assert [row["id"] for row in api.get("scheduled_statuses").json()] == ids[::-1]
    first = api.get("scheduled_statuses", limit=2)
    assert [row["id"] for row in first.json()] == ids[:2:-1]
    second = api.get(link(first, "next"))
    assert [row["id"] for row in second.json()] == ids[2:0:-1]
    assert [row["id"] for row in api.get(link(second, "prev")).json()] == ids[:2:-1]
    assert link(api.get("scheduled_statuses", max_id=ids[1]), "next") is None
    costs = []
    for limit in (1, 5):
        with record_commands() as commands:
            api.get("scheduled_statuses", limit=limit)
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_scopes(alice):
    post = schedule(alice)
    path, writer, reader = (
        f"scheduled_statuses/{post}",
        Api(alice, "write:statuses"),
        Api(alice, "read:statuses"),
    )
    assert writer.get(path).status_code == writer.get("scheduled_statuses").status_code == 403
    assert reader.get(path).status_code == 200
    assert reader.put(path, scheduled_at=iso(soon())).status_code == 403
    assert reader.delete(path).status_code == 403
    assert writer.put(path, scheduled_at=iso(soon())).status_code == 200
    at = datetime(2001, 1, 1, tzinfo=UTC)
    drafts().update_one({"_id": post}, {"$set": {"due_at": at}})
    assert writer.delete(path).status_code == 200
