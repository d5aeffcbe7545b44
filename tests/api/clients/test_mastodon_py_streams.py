"""Streams with Mastodon.py."""

import queue
import threading
import time
from contextlib import contextmanager

import pytest
from mastodon import Mastodon, StreamListener

from feed.services.posts import delete_post
from tests.actions import edit_post
from tests.api.api_client import token_of
from tests.factories import follow, publish


class Listener(StreamListener):
    def __init__(self):
        self.events = queue.Queue()
        self.is_open = threading.Event()

    def handle_heartbeat(self):
        self.is_open.set()

    def on_update(self, status):
        self.events.put(("update", int(status.id)))

    def on_status_update(self, status):
        self.events.put(("status_update", int(status.id)))

    def on_delete(self, status_id):
        self.events.put(("delete", int(status_id)))

    def on_conversation(self, conversation):
        self.events.put(("conversation", int(conversation.id)))

    def on_notification(self, notification):
        self.events.put(("notification", notification.type))

    def next_event(self):
        return self.events.get(timeout=30)


@pytest.fixture
def client(site, alice):
    return Mastodon(access_token=token_of(alice), api_base_url=site, version_check_mode="none")


@contextmanager
def listening(stream, *arguments, **options):
    """Listen to a stream. Yield the listener once the stream is open.

    ``stream``: a streaming method of the client.
    """
    listener = Listener()
    handle = stream(*arguments, listener, run_async=True, reconnect_async=True, **options)
    try:
        assert listener.is_open.wait(timeout=30)
        yield listener
    finally:
        # Without this, ``close`` waits up to 15 seconds for the thread that waits for the next line.
        handle.closed = True
        handle.connection.raw.shutdown()
        handle.close()


def test_the_user_stream_sends_posts_and_notifications(client, alice, bob):
    follow(alice, bob)
    assert client.stream_healthy()
    with listening(client.stream_user) as home, listening(client.stream_user_notifications) as box:
        post = publish(bob, "News for @alice")
        assert {home.next_event() for _ in range(2)} == {
            ("update", post),
            ("notification", "mention"),
        }
        assert box.next_event() == ("notification", "mention")
        edit_post(post_id=post, actor=bob, text="Fresh news for @alice")
        assert home.next_event() == ("status_update", post)
        delete_post(post_id=post, actor=bob)
        assert home.next_event() == ("delete", post)


def test_public_and_hashtag_streams_send_posts(client, bob):
    with (
        listening(client.stream_public) as public,
        listening(client.stream_local) as local,
        listening(client.stream_hashtag, "cats") as cats,
        listening(client.stream_direct) as direct,
    ):
        first = publish(bob, "Dogs")
        second = publish(bob, "Now #cats")
        for listener in (public, local):
            assert [listener.next_event(), listener.next_event()] == [
                ("update", first),
                ("update", second),
            ]
        assert cats.next_event() == ("update", second)
        assert direct.events.empty()


def test_the_direct_stream_sends_conversations(client, alice, bob):
    with listening(client.stream_direct) as listener:
        post = publish(bob, "@alice psst", visibility="direct")
        assert listener.next_event() == ("conversation", post)


def test_one_websocket_has_several_streams(client, alice, bob):
    follow(alice, bob)
    home, cats = Listener(), Listener()
    handle = client.stream_open_websocket(reconnect_async=True)
    try:
        client.stream_user(home, websocket_handle=handle)
        client.stream_hashtag("cats", cats, websocket_handle=handle)
        # Streams have no event when they open, so publish until the subscriptions have begun.
        for _ in range(20):
            publish(bob, "Here are #cats")
            if not home.events.empty() and not cats.events.empty():
                break
            time.sleep(0.5)
        assert home.next_event()[0] == cats.next_event()[0] == "update"
        assert handle.is_alive()
    finally:
        handle.close()


def test_the_list_stream_sends_posts_of_its_users(client, alice, bob, carol):
    follow(alice, bob)
    friends = client.list_create("Friends")
    client.list_accounts_add(friends, [str(bob.pk)])
    with listening(client.stream_list, friends) as listener:
        publish(carol, "Not on it")
        post = publish(bob, "On it")
        assert listener.next_event() == ("update", post)
