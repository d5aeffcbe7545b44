"""Posts with ``toot``, and error messages for unsupported features."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.api.api_client import Api
from tests.api.clients.command_line import Toot
from tests.factories import publish
from tests.feed.poll_helpers import publish_poll
from tests.uploads import picture


@pytest.fixture
def toot(site, alice, tmp_path):
    return Toot(home=tmp_path, site=site, user=alice)


def test_posts_and_comments_are_published_shown_and_deleted(toot, alice, tmp_path):
    for name in ("red", "blue"):
        (tmp_path / name).write_bytes(picture(color=name))
    post = toot.json(
        *("post", "Look", "-m", tmp_path / "red", "-d", "Red", "-m", tmp_path / "blue"),
        *("-d", "Blue", "-p", "Colours", "-s", "-v", "unlisted", "-l", "en"),
    )
    assert [attachment["description"] for attachment in post["media_attachments"]] == [
        "Red",
        "Blue",
    ]
    assert (post["spoiler_text"], post["visibility"]) == ("Colours", "unlisted")
    comment_output = toot("post", "First", "--reply-to", post["id"])
    assert comment_output.startswith(f"Toot posted: {toot.site}/@alice/")
    toot("post", "--reply-last", stdin="Second\nline")
    shown = toot("thread", post["id"])
    assert [word in shown for word in ("Look", "First", "Second\nline")] == [True] * 3
    assert post["media_attachments"][0]["url"] in shown.replace("\n", "")
    first, second = toot.json("thread", post["id"])["descendants"]
    assert (first["in_reply_to_id"], second["in_reply_to_id"]) == (post["id"], first["id"])
    assert f"In reply to {first['id']}" in toot("status", second["id"])
    assert "Status deleted" in toot("delete", second["id"])
    assert toot.json("delete", post["id"])["text"] == "Look"
    assert toot.refused("status", post["id"]) == "Record not found"
    uploaded = toot("upload", tmp_path / "red", "-d", "Red")
    assert "Successfully uploaded media ID" in uploaded


def test_posts_are_liked_shared_bookmarked_and_pinned(toot, alice, bob):
    post, own = publish(bob, "What do you think?"), publish(alice)
    assert toot.json("favourite", post)["favourited"]
    assert toot.json("bookmark", toot.json("status", post)["url"])["bookmarked"]
    assert toot.json("reblog", post)["reblog"]["reblogged"]
    assert toot.json("pin", own)["pinned"]
    shown = toot("timelines", "favourites", "--no-clear")
    assert f"ID {post}" in shown
    assert f"ID {post}" in toot("bookmarks", "--once")
    assert "alice    Alice Adams" in toot("reblogged-by", post)
    assert not toot.json("unfavourite", post)["favourited"]
    assert not toot.json("unbookmark", post)["bookmarked"]
    assert not toot.json("unreblog", post)["reblogged"]
    assert not toot.json("unpin", own)["pinned"]
    assert "not reblogged by anyone" in toot("reblogged-by", post)
    assert toot.refused("pin", post) == "Record not found"
    assert toot.refused("delete", post) == "Record not found"


def test_polls_are_published_shown_and_voted_in(toot, bob):
    own = toot.json(
        *("post", "Which?", "--poll-option", "One", "--poll-option", "Two"),
        *("--poll-expires-in", "1h", "--poll-multiple", "--poll-hide-totals"),
    )["poll"]
    assert (own["multiple"], own["expired"]) == (True, False)
    assert [option["votes_count"] for option in own["options"]] == [None, None]
    poll = publish_poll(bob, "Tea", "Coffee")
    assert "Tea" in toot("status", poll)
    toot("polls", "vote", poll, "1")
    assert toot.json("status", poll)["poll"]["own_votes"] == [1]
    assert "already voted" in toot.refused("polls", "vote", poll, "1")
    assert "Record not found" in toot.refused("polls", "vote", "1", "0")


def test_posts_are_scheduled(toot, alice):
    at = (datetime.now(UTC) + timedelta(minutes=10)).replace(microsecond=0)
    assert "scheduled" in toot("post", "At ten", "--scheduled-at", at.isoformat())
    assert "scheduled" in toot("post", "In an hour", "--scheduled-in", "1h")
    in_an_hour, at_ten = Api(alice).get("scheduled_statuses").json()
    assert datetime.fromisoformat(at_ten["scheduled_at"]) == at
    assert (at_ten["params"]["text"], in_an_hour["params"]["text"]) == ("At ten", "In an hour")
    assert "five minutes" in toot.refused("post", "x", "--scheduled-in", "1m")
