"""Limits on the number of streams, and events that end a stream."""

import asyncio
import http.client
import socket
from contextlib import closing

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from prometheus_client import REGISTRY

from accounts.services.account_status import suspend_user
from notifications.live import hub as hubs
from notifications.live import page_events, stream_requests
from notifications.live.hub import AccessRevoked, Hub, NotWatching, TooManyStreams
from notifications.live.streams import EndReason, PageStream, Stream, UidSet
from notifications.store import changes
from notifications.store.changes import SessionEnded, UnreadChanged
from socialsite.monitoring.store import heartbeat_ages
from tests.actions import like_post
from tests.factories import publish
from tests.notifications.open_pages import Page, open_page
from tests.notifications.stream_server import wait_until


@pytest.fixture
def netloc(server):
    return server.netloc


@pytest.fixture
def watching_hub():
    """A hub that believes that it watches the database."""
    hub = Hub()
    hub._is_watching = True
    return hub


def stream_of(viewer, session_id=None):
    return PageStream(viewer=viewer, session_key=str(session_id), session_id=session_id)


def status_of(netloc, method, path):
    with closing(http.client.HTTPConnection(netloc, timeout=20)) as connection:
        connection.request(method, path)
        with connection.getresponse() as response:
            return response.status


def test_a_proxy_that_speaks_http_1_0_gets_events_without_chunks(netloc, alice, monkeypatch):
    monkeypatch.setattr(http.client.HTTPConnection, "_http_vsn_str", "HTTP/1.0")
    with open_page(netloc, alice) as page:
        assert page.response.getheader("Transfer-Encoding") is None


def test_headers_that_never_end_are_refused(netloc):
    host, port = netloc.split(":")
    with socket.create_connection((host, port), timeout=20) as connection:
        connection.sendall(b"GET /notifications/live/ HTTP/1.1\r\nCookie: " + b"x" * 100_000)
        assert connection.recv(12) == b"HTTP/1.1 400"


def test_all_streams_share_one_change_stream(netloc, alice, bob, carol, record_commands):
    with (
        record_commands() as commands,
        open_page(netloc, alice),
        open_page(netloc, bob),
        open_page(netloc, carol),
    ):
        pass
    assert not any("$changeStream" in str(command.get("pipeline", "")) for _, command in commands)


def test_the_process_counts_its_streams_and_records_heartbeats(netloc, alice, bob):
    def count():
        return REGISTRY.get_sample_value("socialsite_open_streams")

    wait_until(lambda: "streams" in heartbeat_ages(), pause_seconds=0.2)
    with open_page(netloc, alice), open_page(netloc, bob):
        assert count() == 2
    wait_until(lambda: count() == 0)


def test_streams_require_a_login(netloc, client):
    assert status_of(netloc, "GET", "/notifications/live/") == 403
    assert status_of(netloc, "POST", "/notifications/live/") == 403
    assert client.get("/notifications/poll/").status_code == 403


def test_web_workers_have_no_streams_and_the_streams_process_has_no_pages(netloc, alice, client):
    client.force_login(alice)
    assert client.get("/notifications/live/").status_code == 404
    assert client.get("/api/v1/streaming/user").status_code == 404
    assert status_of(netloc, "GET", "/") == 404


def test_only_pages_of_the_site_may_read_its_streams(netloc, alice, settings):
    with open_page(netloc, alice, Origin="https://evil.example") as page:
        assert page.response.headers["Access-Control-Allow-Origin"] == settings.SITE_URL
        assert page.response.headers["Access-Control-Allow-Credentials"] == "true"
        assert "no-store" in page.response.headers["Cache-Control"]
        assert page.response.headers["Content-Type"] == "text/event-stream"


def test_a_fourth_stream_of_a_user_ends_the_first(netloc, alice, bob, server):
    pages = [Page(netloc, alice).wait_until_open() for _ in range(3)]
    with open_page(netloc, bob), open_page(netloc, alice):
        assert len(server.hub) == 4
        assert pages[0].next_event() == ("full", {})
        assert pages[0].remaining_events() == []
    for page in pages:
        page.close()
    wait_until(lambda: len(server.hub) == 0)


def test_a_new_stream_of_a_browser_replaces_its_earlier_stream(netloc, alice, server):
    first = Page(netloc, alice).wait_until_open()
    with open_page(netloc, alice, client=first.client):
        assert first.next_event() == ("full", {})
        assert len(server.hub) == 1
    first.close()


def test_a_process_without_free_streams_refuses_another(netloc, alice, bob, settings):
    settings.LIVE_MAX_STREAMS = 1
    with open_page(netloc, alice):
        refused = Page(netloc, bob)
        assert refused.response.status == 503
        assert refused.response.headers["Retry-After"] == "60"
        refused.close()


def test_a_closed_stream_is_removed_from_the_hub(netloc, alice, server):
    with open_page(netloc, alice):
        assert len(server.hub) == 1
    wait_until(lambda: len(server.hub) == 0)


def test_a_stream_ends_with_its_session_its_account_or_its_password(netloc, alice, bob, carol):
    logged_out, other, deactivated, suspended = (
        Page(netloc, user).wait_until_open() for user in (alice, alice, bob, carol)
    )
    suspend_user(uid=carol.pk)
    assert suspended.remaining_events() == []
    logged_out.client.logout()
    assert logged_out.remaining_events() == []
    bob.is_active = False
    bob.save()
    assert deactivated.remaining_events() == []
    like_post(post_id=publish(alice), actor=bob)
    assert other.wait_for_event("unread")["count"] == 1
    user = get_user_model().objects.get(pk=alice.pk)
    user.set_password("another password")
    user.save()
    assert other.remaining_events() == []
    for page in (logged_out, other, deactivated, suspended):
        page.close()


def test_a_session_that_ends_while_its_stream_opens_gets_no_stream(
    netloc, alice, server, monkeypatch
):
    client = Client()
    client.force_login(alice)
    session_id = connection.database["django_session"].find_one()["_id"]
    answer = stream_requests._response_to

    def answer_then_log_out(scope):
        response = answer(scope)
        client.session.delete()
        wait_until(lambda: SessionEnded(session_id) in server.hub._revocations)
        return response

    monkeypatch.setattr(stream_requests, "_response_to", answer_then_log_out)
    page = Page(netloc, alice, client=client)
    assert page.response.status == 401
    page.close()


def test_a_bug_in_a_revocation_ends_all_streams(netloc, alice, bob, monkeypatch):
    monkeypatch.setattr(hubs, "RECONNECT_SECONDS", 0.01)

    def fail(*_):
        raise KeyError("a bug")

    with open_page(netloc, alice) as page, open_page(netloc, bob) as other:
        monkeypatch.setattr(changes.ChangeStream, "revocation", fail)
        page.client.logout()
        assert page.remaining_events() == other.remaining_events() == []


def test_a_bug_in_one_change_does_not_lose_the_next_revocation(netloc, alice, bob, monkeypatch):
    async def fail(*_):
        raise KeyError("a bug")

    post = publish(alice)
    with open_page(netloc, alice) as page, open_page(netloc, bob) as other:
        monkeypatch.setattr(changes.ChangeStream, "content_change", fail)
        like_post(post_id=post, actor=bob)
        page.client.logout()
        page.remaining_events()
        assert other.wait_for_event("unread") == {"count": 0, "text": ""}


def test_a_stopping_process_ends_its_streams_and_opens_no_other(netloc, alice, bob, server):
    page = Page(netloc, alice).wait_until_open()
    server.call(server.hub.leave)
    assert page.remaining_events() == []
    page.close()
    refused = Page(netloc, bob)
    assert (refused.response.status, refused.response.headers["Retry-After"]) == (503, "5")
    refused.close()


def test_a_stream_ends_after_the_maximum_time(netloc, alice, monkeypatch):
    monkeypatch.setattr(page_events, "MAX_STREAM_SECONDS", 0.5)
    with open_page(netloc, alice) as page:
        assert page.remaining_events() == []


def test_streams_that_opened_together_do_not_end_together():
    lifetimes = sorted(page_events.random_lifetime() for _ in range(200))
    assert 1800 <= lifetimes[0] < 2400
    assert 3000 < lifetimes[-1] <= 3600


def test_a_slow_client_gets_only_the_latest_counts():
    stream = stream_of(1)
    stream.take_update()
    for count in range(1000):
        stream.handle(UnreadChanged(1, count))
    assert stream.take_update().unread_count == 999
    assert stream.take_update().unread_count is None
    assert [uid for uid in range(10) if uid in UidSet([5, 3])] == [3, 5]


def test_there_are_at_most_as_many_streams_as_the_setting_allows(settings, watching_hub):
    settings.LIVE_MAX_STREAMS = 5
    streams = [stream_of(viewer) for viewer in range(8)]
    refused = 0
    for stream in streams:
        try:
            watching_hub.open(stream=stream, opening=watching_hub.begin_opening())
        except TooManyStreams:
            refused += 1
    assert (len(watching_hub), refused) == (5, 3)
    for stream in streams * 2:
        watching_hub.close(stream=stream)
    assert len(watching_hub) == 0


@pytest.mark.parametrize("sessions", [(5, 5), (1, 2, 3, 4)], ids=["same session", "too many"])
def test_the_stream_that_was_requested_first_ends(watching_hub, sessions):
    """Authentication does not keep the order: the stream of a page that was left may be opened last."""
    openings = [watching_hub.begin_opening() for _ in sessions]
    streams = [stream_of(1, session) for session in sessions]
    for stream, opening in reversed(list(zip(streams, openings, strict=True))):
        watching_hub.open(stream=stream, opening=opening)
    oldest, *others = [stream.end_reason() for stream in streams]
    assert oldest is EndReason.REPLACED
    assert set(others) == {None}
    assert len(watching_hub) == len(others)


def test_a_hub_opens_streams_only_while_it_watches_the_database():
    with pytest.raises(NotWatching):
        Hub().begin_opening()


def test_a_hub_remembers_revocations_for_streams_that_are_being_opened(watching_hub, monkeypatch):
    opening = watching_hub.begin_opening()
    watching_hub._revoke(SessionEnded(5))
    with pytest.raises(AccessRevoked):
        watching_hub.open(stream=stream_of(1, 5), opening=opening)
    watching_hub.open(stream=stream_of(1, 6), opening=opening)
    watching_hub.open(stream=stream_of(1, 5), opening=watching_hub.begin_opening())
    for number in range(hubs.MAX_RECENT_REVOCATIONS + 1):
        watching_hub._revoke(SessionEnded(-number))
    with pytest.raises(NotWatching):
        watching_hub.open(stream=stream_of(1, 6), opening=opening)
    watching_hub.leave()
    with pytest.raises(NotWatching):
        watching_hub.begin_opening()


def test_a_deleted_session_examines_no_streams_of_others(watching_hub, monkeypatch):
    examined = []
    streams = [stream_of(viewer, viewer) for viewer in range(4)]
    for stream in streams:
        watching_hub.open(stream=stream, opening=watching_hub.begin_opening())

    def examine(stream, revocation):
        examined.append(stream)
        return Stream.is_ended_by(stream, revocation)

    monkeypatch.setattr(PageStream, "is_ended_by", examine)
    watching_hub._revoke(SessionEnded(9))
    watching_hub._revoke(SessionEnded(2))
    assert examined == [streams[2]]
    assert [stream.end_reason() for stream in streams] == [None, None, EndReason.REVOKED, None]
    for stream in streams:
        watching_hub.close(stream=stream)
    assert watching_hub._by_credential == {}


def test_many_changes_at_once_do_not_stop_the_event_loop(monkeypatch):
    order = []

    class Changes:
        """A thousand changes that wait already, then none."""

        async def open(self):
            pass

        def is_resuming(self):
            return True

        async def next(self):
            if len(order) == 1000:
                await asyncio.sleep(60)
            order.append("change")

        def confirm(self):
            pass

        async def close(self):
            pass

    async def run():
        watching = asyncio.create_task(Hub().run())
        await asyncio.sleep(0)
        order.append("other")
        watching.cancel()

    monkeypatch.setattr(hubs, "ChangeStream", Changes)
    asyncio.run(run())
    assert order.index("other") < 10


def test_streams_end_if_the_database_fails_before_the_first_change(netloc, alice, monkeypatch):
    """The process cannot know whether it missed a revocation, because it has no position to resume from."""
    monkeypatch.setattr(hubs, "RECONNECT_SECONDS", 0.01)

    read_next, raised = changes.ChangeStream.next, []

    async def fail_once(stream):
        if not raised:
            raised.append(stream)
            raise changes.DatabaseUnavailable("away")
        return await read_next(stream)

    with open_page(netloc, alice) as page:
        monkeypatch.setattr(changes.ChangeStream, "is_resuming", lambda _: False)
        monkeypatch.setattr(changes.ChangeStream, "next", fail_once)
        assert page.remaining_events() == []


def test_a_stream_keeps_its_first_end_reason():
    stream = stream_of(1)
    stream.end(EndReason.REVOKED)
    stream.end(EndReason.CLOSED)
    assert stream.end_reason() is EndReason.REVOKED
