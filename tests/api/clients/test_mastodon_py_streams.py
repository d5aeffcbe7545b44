"""Mastodon.py listens to streams, and hears what comes."""

import queue
import threading
from contextlib import contextmanager

import pytest
from mastodon import Mastodon, StreamListener

from feed.services.posts import delete_post, edit_post
from tests.api.api_client import token_of
from tests.factories import follow, publish


class Listener(StreamListener):
    def __init__(self):
        self.heard = queue.Queue()
        self.is_open = threading.Event()

    def handle_heartbeat(self):
        self.is_open.set()

    def on_update(self, status):
        self.heard.put(("update", int(status.id)))

    def on_status_update(self, status):
        self.heard.put(("status_update", int(status.id)))

    def on_delete(self, status_id):
        self.heard.put(("delete", int(status_id)))

    def on_notification(self, notification):
        self.heard.put(("notification", notification.type))

    def hear(self):
        return self.heard.get(timeout=30)


@pytest.fixture
def client(site, alice):
    return Mastodon(access_token=token_of(alice), api_base_url=site, version_check_mode="none")


@contextmanager
def listening(stream, *what, **how):
    """``stream``: a method of the client."""
    listener = Listener()
    handle = stream(*what, listener, run_async=True, reconnect_async=True, **how)
    try:
        assert listener.is_open.wait(timeout=30)
        yield listener
    finally:
        handle.close()


def test_it_hears_what_comes_home(client, alice, bob):
    follow(alice, bob)
    assert client.stream_healthy()
    with listening(client.stream_user) as home, listening(client.stream_user_notifications) as box:
        post = publish(bob, "News for @alice")
        assert {home.hear() for _ in range(2)} == {("update", post), ("notification", "mention")}
        assert box.hear() == ("notification", "mention")
        edit_post(post_id=post, actor=bob, text="Fresh news for @alice")
        assert home.hear() == ("status_update", post)
        delete_post(post_id=post, actor=bob)
        assert home.hear() == ("delete", post)


def test_it_hears_everybody(client, bob):
    with (
        listening(client.stream_public) as public,
        listening(client.stream_local) as local,
        listening(client.stream_hashtag, "cats") as cats,
        listening(client.stream_direct) as direct,
    ):
        first = publish(bob, "Dogs")
        second = publish(bob, "Now #cats")
        for row in (public, local):
            assert [row.hear(), row.hear()] == [("update", first), ("update", second)]
        assert cats.hear() == ("update", second)
        assert direct.heard.empty()


def test_it_hears_a_list(client, alice, bob, carol):
    follow(alice, bob)
    friends = client.list_create("Friends")
    client.list_accounts_add(friends, [str(bob.pk)])
    with listening(client.stream_list, friends) as listener:
        publish(carol, "Not on it")
        post = publish(bob, "On it")
        assert listener.hear() == ("update", post)
