"""Streams tell nobody of the removal of a post that they could not read."""

import asyncio
import json

import pytest

from accounts.services.follows import unfollow_user
from accounts.services.profiles import set_private
from feed.models import Post
from feed.selectors.user_lists import owned_list
from feed.services.moderation import set_post_hidden
from feed.services.posts import delete_post
from feed.services.user_lists import add_to_list, create_list
from feed.store.collections import pending_cleanups
from notifications.live.streams import PageStream, UidSet
from notifications.store.changes import ChangeStream, PostPublished, PostRemoved
from socialsite.api.streaming.app_events import AppEvents
from socialsite.api.streaming.channels import (
    HomeChannel,
    ListChannel,
    PublicChannel,
)
from tests.factories import follow, people, publish


class Streams:
    """The events that streams of one viewer send for the changes of a test."""

    def __init__(self, *channels):
        self.events = []
        for channel in channels:
            channel.refresh()
            self.events.append(
                AppEvents(stream=None, channel=channel, since=0, with_notifications=False)
            )

    def send(self, change):
        """Return (name, post id) of the events, without those of channels that refuse the change."""
        return [
            (event.name, json.loads(event.data) if event.name == "delete" else change.post_id)
            for events in self.events
            if events._channel.accepts(change)
            for event in events._posts([change])
        ]


def channels_of(viewer):
    return HomeChannel(viewer=viewer.pk), PublicChannel(viewer=viewer.pk)


def removal(post, author, visibility="public", **fields):
    return PostRemoved(post, author.pk, visibility, **fields)


def test_only_readers_learn_that_a_post_was_removed(alice, bob, carol):
    follow(alice, bob)
    follower, stranger = Streams(*channels_of(alice)), Streams(*channels_of(carol))
    assert follower.send(removal(7, bob)) == [("delete", 7)] * 2
    assert stranger.send(removal(7, bob)) == [("delete", 7)]
    for visibility in ("unlisted", "followers"):
        assert follower.send(removal(7, bob, visibility)) == [("delete", 7)]
        assert stranger.send(removal(7, bob, visibility)) == []
    direct = removal(7, bob, "direct", recipients=(carol.pk,))
    assert follower.send(direct) == []
    follow(carol, bob)
    assert Streams(*channels_of(carol)).send(direct) == [("delete", 7)]
    set_private(uid=bob.pk, is_private=True)
    follow_requester = Streams(*channels_of(people(1)[0]))
    assert follow_requester.send(removal(7, bob)) == []


def test_a_list_with_a_member_who_is_not_followed_learns_of_public_posts_only(alice, bob):
    list_id = create_list(owner=alice, title="Friends")
    user_list = owned_list(owner=alice.pk, list_id=list_id)
    follow(alice, bob)
    add_to_list(owner=alice, user_list=user_list, uids=[bob.pk])
    friends = Streams(ListChannel(viewer=alice.pk, list_id=list_id))
    assert friends.send(removal(7, bob, "followers")) == [("delete", 7)]
    # A list may keep members whom its owner no longer follows.
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert friends.send(removal(7, bob)) == [("delete", 7)]
    assert friends.send(removal(7, bob, "followers")) == []
    assert friends.send(removal(7, bob, "direct", recipients=(5,))) == []
    set_private(uid=bob.pk, is_private=True)
    assert friends.send(removal(7, bob)) == []


@pytest.mark.parametrize("visibility", ["public", "followers"])
def test_an_unknown_removed_post_concerns_only_streams_that_sent_it(alice, bob, visibility):
    follow(alice, bob)
    home = Streams(HomeChannel(viewer=alice.pk))
    post = publish(bob, "Hello", visibility)
    assert home.send(PostPublished(post, bob.pk, visibility)) == [("update", post)]
    assert home.send(PostRemoved(post + 1, 0)) == []
    assert home.send(PostRemoved(post, 0)) == [("delete", post)]
    assert home.send(PostRemoved(post, 0)) == []


def test_the_rejection_of_a_pending_post_is_no_event_but_its_approval_is(alice, bob):
    follow(alice, bob)
    home = Streams(HomeChannel(viewer=alice.pk))
    assert home.send(removal(7, bob, is_hidden=True)) == []
    assert Streams(HomeChannel(viewer=bob.pk)).send(removal(7, bob, is_hidden=True)) != []
    post = publish(bob, "Hello")
    set_post_hidden(post_id=post, state="removed")
    assert home.send(PostPublished(post, bob.pk, "public")) == []
    set_post_hidden(post_id=post, state="")
    assert home.send(PostPublished(post, bob.pk, "public")) == [("update", post)]


async def changes_of(*raws):
    """Return the changes that the change stream makes of raw ones, without a database."""
    stream = ChangeStream()
    return [await stream.content_change(raw) for raw in raws]


def raw(post, operation, collection=Post._meta.db_table, **fields):
    changed = {"fullDocument" if operation == "insert" else "updateDescription": fields}
    return {
        "ns": {"coll": collection},
        "documentKey": {"_id": post},
        "operationType": operation,
        **(changed if operation != "delete" else {}),
    }


def run(coroutine):
    return asyncio.run(coroutine)


def stored(visibility, **fields):
    row = {
        "author_id": 5,
        "visibility": visibility,
        "attributes": [],
        "recipients": [],
        "hidden": "",
    }
    return {**row, **fields}


def test_a_deletion_names_the_readers_that_were_written_down_before():
    note = stored("direct", recipients=[8, 9])
    noted, deleted = run(
        changes_of(raw(7, "insert", "pending_cleanups", deleted_post=note), raw(7, "delete"))
    )
    assert noted is None
    assert deleted == PostRemoved(7, 5, "direct", frozenset(), (8, 9))


def test_imported_and_hidden_posts_are_not_announced():
    for fields in ({"origin": "1:key"}, {"hidden": "pending"}):
        document = stored("public", delivery_state="done", **fields)
        assert run(changes_of(raw(7, "insert", **document))) == [None]
    (published,) = run(changes_of(raw(7, "insert", **stored("public", delivery_state="done"))))
    assert published == PostPublished(7, 5, "public")


def test_a_deleted_post_is_written_down_with_its_readers(alice, bob, monkeypatch):
    monkeypatch.setattr("feed.receivers.enqueue", lambda *_, **__: None)
    post = publish(alice, "@bob psst", "direct")
    delete_post(post_id=post, actor=alice)
    note = pending_cleanups().find_one({"_id": post})["deleted_post"]
    assert (note["author_id"], note["visibility"]) == (alice.pk, "direct")
    assert note["recipients"] == [bob.pk]


def test_pages_announce_posts_with_followed_hashtags_but_no_hidden_or_foreign_ones():
    stream = PageStream(viewer=1, session_key="", session_id=None)
    stream.authors, stream.tags = UidSet([5]), frozenset(["tea"])
    assert stream.announces(PostPublished(7, 5, "public"))
    assert stream.announces(PostPublished(7, 6, "public", frozenset(["tea"])))
    assert not stream.announces(PostPublished(7, 6, "public"))
    assert not stream.announces(PostPublished(7, 1, "public", frozenset(["tea"])))
    assert not stream.announces(PostPublished(7, 5, "public", is_hidden=True))
    assert not stream.announces(PostPublished(7, 5, "direct", recipients=(9,)))
    assert stream.announces(PostPublished(7, 5, "direct", recipients=(1,)))
