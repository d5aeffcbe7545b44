"""Limits on the number of streams, and events that end a stream."""

import os
import threading
import warnings

import pytest

from accounts.services.account_status import suspend_user
from notifications.live import hub as hubs
from notifications.live import page_events
from notifications.live.hub import TooManyStreams
from notifications.live.page_stream import PageStream, PageUpdate
from tests.actions import like_post
from tests.factories import publish
from tests.notifications.open_pages import Page, open_page, wait_until


@pytest.fixture(autouse=True)
def _hub(hub):
    """Every test has a hub."""


def test_all_streams_of_a_process_share_one_change_stream(alice, bob, carol, record_commands):
    with record_commands() as commands, open_page(alice), open_page(bob), open_page(carol):
        pass
    change_streams = [
        command for _, command in commands if "$changeStream" in str(command.get("pipeline", ""))
    ]
    assert len(change_streams) == 1
    assert [thread.name for thread in threading.enumerate()].count("live") == 1


def test_the_hub_stops_after_the_last_stream_ended(alice, bob, hub, monkeypatch):
    with open_page(alice):
        monkeypatch.setattr(hubs, "LINGER_SECONDS", 0.0)
        assert hub.is_watching
    wait_until(lambda: not any(thread.name == "live" for thread in threading.enumerate()))
    assert not hub.is_watching
    post = publish(alice)
    with open_page(alice) as page:
        like_post(post_id=post, actor=bob)
        assert page.wait_for_event("unread")["count"] == 1


def test_streams_require_a_login(client):
    for path in ("/notifications/live/", "/notifications/poll/"):
        assert client.get(path).status_code == 403
        assert client.post(path).status_code in (403, 405)


def test_a_fourth_stream_of_a_user_ends_the_first(alice, bob, hub):
    pages = [Page(alice).wait_until_open() for _ in range(3)]
    with open_page(bob), open_page(alice):
        assert len(hub) == 4
        assert pages[0].next_event() == ("full", {})
        assert list(pages[0].lines) == []
    for page in pages:
        page.close()
    assert len(hub) == 0


def test_a_new_stream_of_a_browser_replaces_its_earlier_stream(alice, hub):
    page = Page(alice).wait_until_open()
    second = page.client.get("/notifications/live/")
    assert len(hub) == 1
    assert page.next_event() == ("full", {})
    second.close()
    page.close()
    assert len(hub) == 0


def test_a_process_without_free_streams_refuses_another(alice, bob, settings, hub):
    settings.LIVE_MAX_STREAMS = 1
    with open_page(alice):
        refused = Page(bob)
        assert (refused.response.status_code, refused.response.content) == (204, b"")
        assert len(hub) == 1
    with open_page(bob):
        pass


def test_a_closed_stream_is_removed_from_the_hub(alice, hub):
    Page(alice).close()
    assert len(hub) == 0


def test_a_stream_ends_with_its_session_or_its_account(alice, bob, carol, monkeypatch):
    monkeypatch.setattr(hubs, "SESSION_CHECK_SECONDS", 0.2)
    logged_out, other, deactivated = (
        Page(alice).wait_until_open(),
        Page(alice).wait_until_open(),
        Page(bob).wait_until_open(),
    )
    suspended = Page(carol).wait_until_open()
    suspend_user(uid=carol.pk)
    assert list(suspended.lines) == []
    logged_out.client.logout()
    assert list(logged_out.lines) == []
    bob.is_active = False
    bob.save()
    assert list(deactivated.lines) == []
    like_post(post_id=publish(alice), actor=bob)
    assert other.wait_for_event("unread")["count"] == 1
    for page in (logged_out, other, deactivated, suspended):
        page.close()


def test_a_stopping_process_ends_its_streams_and_opens_no_other(alice, bob, hub):
    page = Page(alice).wait_until_open()
    hub.request_shutdown()
    assert list(page.lines) == []
    assert Page(bob).response.status_code == 204
    page.close()


def test_a_stream_ends_after_the_maximum_time(alice, monkeypatch):
    monkeypatch.setattr(page_events, "MAX_STREAM_SECONDS", 0.5)
    with open_page(alice) as page:
        assert list(page.lines) == []


def test_a_slow_client_gets_only_the_latest_counts():
    stream = PageStream(viewer=1, session_key="", followed_uids=[5, 3])
    for count in range(1000):
        stream.add(PageUpdate(unread_count=count))
    stream.add(PageUpdate(has_new_posts=True))
    assert stream.wait_for_update(seconds=0) == PageUpdate(unread_count=999, has_new_posts=True)
    assert stream.wait_for_update(seconds=0) is None
    assert [uid for uid in range(10) if stream.follows(uid)] == [3, 5]


def test_a_process_has_at_most_the_maximum_of_streams(settings, hub):
    settings.LIVE_MAX_STREAMS = 5
    streams = [PageStream(viewer=n, session_key=str(n), followed_uids=()) for n in range(8)]
    refused = 0
    for stream in streams:
        try:
            hub.open(stream=stream)
        except TooManyStreams:
            refused += 1
    assert (len(hub), refused) == (5, 3)
    for stream in streams * 2:
        hub.close(stream=stream)
    assert len(hub) == 0


def test_a_forked_process_has_no_streams_of_its_parent(alice):
    with open_page(alice), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # forking a process with threads is intended
        if not (child := os.fork()):
            os._exit(len(hubs.get_hub()) + hubs.get_hub().is_watching)
        assert os.waitpid(child, 0)[1] == 0
