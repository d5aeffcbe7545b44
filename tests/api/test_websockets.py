"""Streams by WebSocket: subscriptions, limits, and the end of connections."""

import asyncio
import json
import logging
import threading
from contextlib import contextmanager

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from accounts.oauth.models import AccessToken
from accounts.services.account_status import suspend_user
from feed.services.posts import delete_post
from feed.services.user_lists import create_list
from notifications.live import hub as hubs
from socialsite.api.streaming import sockets
from tests.actions import edit_post, like_post
from tests.api.api_client import token_of
from tests.factories import follow, publish
from tests.notifications.stream_server import running_server, wait_until

SECONDS = 20


@pytest.fixture
def server(monkeypatch):
    with running_server(monkeypatch) as server:
        yield server


class Socket:
    """An open connection."""

    def __init__(self, connection):
        self._connection = connection
        self.subprotocol = connection.subprotocol
        self.extensions = connection.protocol.extensions

    def send(self, **message):
        self._connection.send(json.dumps(message))

    def send_text(self, text):
        self._connection.send(text)

    def begin_text(self, text):
        """Send a part of a message, but not its end."""
        with self._connection.send_context():
            self._connection.protocol.send_text(text.encode(), fin=False)

    def subscribe(self, stream, **parameters):
        self.send(type="subscribe", stream=stream, **parameters)

    def unsubscribe(self, stream, **parameters):
        self.send(type="unsubscribe", stream=stream, **parameters)

    def receive(self):
        return json.loads(self._connection.recv(timeout=SECONDS))

    def next_event(self):
        """Return the next event: (stream, name, payload)."""
        message = self.receive()
        return message["stream"], message["event"], json.loads(message["payload"])

    def close_code(self):
        """Wait for the end of the connection. Return its code."""
        try:
            while True:
                self.receive()
        except ConnectionClosed as closed:
            return closed.rcvd.code


@contextmanager
def opened(server, user, query="", token=None, by_protocol=False, **options):
    token = token or token_of(user)
    url = f"ws://{server.netloc}/api/v1/streaming?"
    if by_protocol:
        options["subprotocols"] = [token]
    else:
        url += f"access_token={token}&"
    with connect(f"{url}{query}", **options) as connection:
        yield Socket(connection)


def wait_for_streams(server, count):
    """Wait until this many streams are open. A connection counts as one, and each subscription."""
    wait_until(lambda: len(server.hub) == count)


def refusal(server, query="", **options):
    """Return the status and the error of a refused connection."""
    with (
        pytest.raises(InvalidStatus) as caught,
        connect(f"ws://{server.netloc}/api/v1/streaming{query}", **options),
    ):
        pass
    response = caught.value.response
    return response.status_code, json.loads(response.body)["error"]


@pytest.mark.parametrize("by_protocol", [True, False])
def test_a_connection_with_a_stream_in_its_address_sends_events(server, alice, bob, by_protocol):
    follow(alice, bob)
    with opened(server, alice, "stream=user", by_protocol=by_protocol) as socket:
        assert bool(socket.subprotocol) is by_protocol
        post = publish(bob, "Good news")
        stream, name, status = socket.next_event()
        assert (stream, name, status["id"]) == (["user"], "update", str(post))
        edit_post(post_id=post, actor=bob, text="Better news")
        _stream, name, status = socket.next_event()
        assert (name, status["content"]) == ("status.update", "<p>Better news</p>")
        delete_post(post_id=post, actor=bob)
        assert socket.receive() == {"stream": ["user"], "event": "delete", "payload": str(post)}
        like_post(post_id=publish(alice), actor=bob)
        names = {socket.next_event()[1] for _ in range(2)}
        assert names == {"update", "notification"}
    wait_for_streams(server, 0)


@pytest.fixture
def may_subscribe(monkeypatch):
    """Delay subscriptions until this event is set, at most for a second."""

    async def open_late(*arguments, is_subscription=False, **options):
        if is_subscription:
            await asyncio.to_thread(event.wait, 1)
        return await open_stream(*arguments, is_subscription=is_subscription, **options)

    open_stream, event = sockets.open_stream, threading.Event()
    monkeypatch.setattr(sockets, "open_stream", open_late)
    return event


def test_a_connected_client_misses_nothing_of_the_stream_in_its_address(
    server, alice, bob, may_subscribe
):
    follow(alice, bob)
    with opened(server, alice, "stream=user") as socket:
        post = publish(bob)
        may_subscribe.set()
        assert socket.next_event()[2]["id"] == str(post)


def test_a_client_that_leaves_before_it_is_connected_is_no_error(
    server, alice, may_subscribe, caplog
):
    with pytest.raises(TimeoutError), opened(server, alice, "stream=user", open_timeout=0.5):
        pass
    wait_for_streams(server, 0)
    assert "A WebSocket failed" not in caplog.text


def test_one_connection_has_several_subscriptions(server, alice, bob):
    list_id = create_list(owner=alice, title="Friends")
    with opened(server, alice) as socket:
        socket.subscribe("public")
        socket.subscribe("public")
        socket.subscribe("hashtag", tag="Cats")
        socket.subscribe("hashtag", tag="#CATS")
        socket.subscribe("list", list=str(list_id))
        wait_for_streams(server, 4)
        post = publish(bob, "Here are #cats")
        events = sorted(socket.next_event()[:2] for _ in range(2))
        assert events == [(["hashtag", "Cats"], "update"), (["public"], "update")]
        socket.unsubscribe("public")
        socket.unsubscribe("public")
        wait_for_streams(server, 3)
        publish(bob, "Dogs")
        delete_post(post_id=post, actor=bob)
        assert socket.receive()["stream"] == ["hashtag", "Cats"]
        socket.unsubscribe("hashtag", tag="cats")
        wait_for_streams(server, 2)
    wait_for_streams(server, 0)


def test_connections_with_the_same_token_do_not_replace_each_other(server, alice, bob):
    token = token_of(alice)
    with (
        opened(server, alice, "stream=public", token=token) as first,
        opened(server, alice, "stream=public", token=token) as second,
    ):
        wait_for_streams(server, 4)
        post = publish(bob)
        assert first.next_event()[2]["id"] == second.next_event()[2]["id"] == str(post)


def test_a_subscription_ends_if_the_client_cancels_it_at_once(server, alice):
    with opened(server, alice) as socket:
        for _ in range(5):
            socket.subscribe("public")
            socket.unsubscribe("public")
        socket.send(type="dance")
        assert socket.receive()["status"] == 400  # the server has read the messages before
        wait_for_streams(server, 1)


def test_subscriptions_do_not_count_as_connections(server, alice):
    with opened(server, alice, "stream=user") as first:
        for tag in "abcdefgh":
            first.subscribe("hashtag", tag=tag)
        wait_for_streams(server, 10)
        with opened(server, alice):
            wait_for_streams(server, 11)


def test_a_user_has_a_limited_number_of_connections(server, alice):
    with opened(server, alice, "stream=user") as first:
        wait_for_streams(server, 2)
        others = [opened(server, alice) for _ in range(6)]
        for other in others:
            other.__enter__()
        assert first.close_code() == sockets.POLICY_VIOLATION
        for other in others:
            other.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("no json", 400),
        ("[" * 3000, 400),
        ("[]", 400),
        ("5", 400),
        ('{"type": "dance"}', 400),
        ('{"type": ["subscribe"], "stream": "user"}', 400),
        ('{"type": "subscribe"}', 400),
        ('{"type": "subscribe", "stream": "elsewhere"}', 400),
        ('{"type": "subscribe", "stream": ["user"]}', 400),
        ('{"type": "subscribe", "stream": "hashtag"}', 422),
        ('{"type": "subscribe", "stream": "hashtag", "tag": ""}', 422),
        ('{"type": "subscribe", "stream": "list", "list": "\\ud800"}', 422),
        ('{"type": "subscribe", "stream": "list", "list": {"a": 1}}', 422),
        ('{"type": "subscribe", "stream": "list", "list": "1"}', 404),
    ],
)
def test_odd_messages_get_an_error_and_leave_the_connection_open(server, alice, message, status):
    with opened(server, alice) as socket:
        socket.send_text(message)
        answer = socket.receive()
        assert answer["error"]
        assert answer["status"] == status
        socket.send(type="unsubscribe", stream=["odd"], tag={})
        socket.subscribe("public")
        wait_for_streams(server, 2)


def test_a_subscription_requires_the_matching_scope(server, alice):
    with opened(server, alice, "stream=user", token=token_of(alice, "read:accounts")) as socket:
        assert socket.receive()["status"] == 403


def test_connections_are_limited_in_size_and_number_of_subscriptions(server, alice, monkeypatch):
    monkeypatch.setattr(sockets, "MAX_SUBSCRIPTIONS", 2)
    with opened(server, alice, "stream=public") as socket:
        socket.subscribe("direct")
        socket.subscribe("user")
        assert socket.receive() == {"error": "Too many subscriptions", "status": 400}
        socket.send_text("x" * (sockets.MAX_MESSAGE_CHARACTERS + 1))
        assert socket.close_code() == sockets.TOO_BIG
    wait_for_streams(server, 0)


def test_large_messages_are_refused_before_all_of_their_parts_are_received(server, alice):
    with opened(server, alice) as socket:
        assert not socket.extensions, "compressed messages would have no useful limit"
        socket.begin_text("x" * 20_000)
        assert socket.close_code() == sockets.TOO_BIG
    wait_for_streams(server, 0)


def test_the_subscriptions_of_a_user_are_limited(server, alice, bob, monkeypatch):
    monkeypatch.setattr(hubs, "MAX_SUBSCRIPTIONS_PER_USER", 2)
    with (
        opened(server, alice, "stream=user") as first,
        opened(server, alice, "stream=user") as second,
        opened(server, bob, "stream=user"),
    ):
        wait_for_streams(server, 6)
        second.subscribe("direct")
        assert second.receive()["status"] == 503
        first.unsubscribe("user")
        wait_for_streams(server, 5)
        second.subscribe("direct")
        wait_for_streams(server, 6)


def test_a_parameter_without_a_name_is_ignored(server, alice):
    with opened(server, alice) as socket:
        socket.send(type="subscribe", stream="user", **{"": "x"})
        wait_for_streams(server, 2)


def test_connections_require_a_user_token(server, alice, settings, caplog):
    assert refusal(server)[0] == 401
    assert refusal(server, "?access_token=x&stream=user")[0] == 401
    assert refusal(server, subprotocols=["x"])[0] == 401
    assert refusal(server, f"?access_token={token_of(None)}")[0] == 422
    settings.LIVE_MAX_STREAMS = 0
    assert refusal(server, f"?access_token={token_of(alice)}")[0] == 503
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_connection_ends_if_the_token_is_revoked_or_the_user_is_suspended(server, alice, bob):
    with opened(server, alice) as idle, opened(server, bob, "stream=user") as socket:
        wait_for_streams(server, 3)
        AccessToken.objects.filter(user=alice).first().delete()
        assert idle.close_code() == sockets.POLICY_VIOLATION
        suspend_user(uid=bob.pk)
        assert socket.close_code() == sockets.POLICY_VIOLATION
    wait_for_streams(server, 0)


def test_a_stopping_process_asks_clients_to_reconnect(server, alice):
    with opened(server, alice, "stream=user") as socket:
        wait_for_streams(server, 2)
        server.call(server.hub.leave)
        assert socket.close_code() == sockets.RESTART
