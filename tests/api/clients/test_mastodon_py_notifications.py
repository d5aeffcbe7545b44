"""Mastodon.py reads notifications, markers and streams, and is told of what comes."""

import queue
import threading

import pytest
from mastodon import Mastodon, StreamListener

from feed import services as feed
from tests.api.calling import token_of
from tests.factories import follow, publish


@pytest.fixture
def client(site, alice):
    return Mastodon(
        access_token=token_of(alice),
        api_base_url=site,
        mastodon_version="4.3.0",
        version_check_mode="none",
    )


def test_it_reads_notifications_and_says_what_it_has_shown(client, alice, bob):
    post = publish(alice)
    feed.like_post(post_id=post, actor=bob)
    said = feed.comment_on_post(post_id=post, actor=bob, text="Nice")
    mention, like = client.notifications()
    assert mention.type == "mention"
    assert (int(mention.status.id), int(mention.status.in_reply_to_id)) == (said, post)
    assert [one.id for one in client.notifications(types=["favourite"])] == [like.id]
    assert client.notifications(like.id).account.username == "bob"
    assert [one.id for one in client.fetch_next(client.notifications(limit=1))] == [like.id]
    assert client.notifications_unread_count().count == 2
    client.markers_set("notifications", [mention.id])
    assert client.notifications_unread_count().count == 0
    assert client.markers_get("notifications").notifications.last_read_id == mention.id
    grouped = client.grouped_notifications()
    assert [one.type for one in grouped.notification_groups] == ["mention", "favourite"]
    client.status_mute(post)
    client.notifications_dismiss(like.id)
    client.notifications_clear()
    assert client.notifications() == []


def test_it_lets_strangers_through(client, bob):
    client.update_notifications_policy(for_not_following="filter")
    publish(bob, "Hello @alice")
    (one,) = client.notification_requests()
    assert one.account.username == "bob"
    client.accept_notification_request(one.id)
    assert [one.type for one in client.notifications()] == ["mention"]


class Listener(StreamListener):
    def __init__(self):
        self.heard = queue.Queue()
        self.is_open = threading.Event()

    def handle_heartbeat(self):
        self.is_open.set()

    def on_update(self, status):
        self.heard.put(("update", int(status.id)))

    def on_delete(self, status_id):
        self.heard.put(("delete", int(status_id)))

    def on_notification(self, notification):
        self.heard.put(("notification", notification.type))


def test_it_follows_a_stream(client, site, alice, bob, monkeypatch):
    follow(alice, bob)
    monkeypatch.setattr(client, "_Mastodon__get_streaming_base", lambda: site)
    assert client.stream_healthy()
    listener = Listener()
    handle = client.stream_user(listener, run_async=True, reconnect_async=True)
    try:
        assert listener.is_open.wait(timeout=30)
        post = publish(bob, "News for @alice")
        heard = {listener.heard.get(timeout=30) for _ in range(2)}
        assert heard == {("update", post), ("notification", "mention")}
        feed.delete_post(post_id=post, actor=bob)
        assert listener.heard.get(timeout=30) == ("delete", post)
    finally:
        handle.close()
