"""How many streams there are, and when they end."""

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
from tests.notifications.open_pages import Page, opened, wait_until


@pytest.fixture(autouse=True)
def _listening(hub):
    """In every test."""


def test_all_streams_of_a_process_share_one_change_stream(alice, bob, carol, record_commands):
    with record_commands() as commands, opened(alice), opened(bob), opened(carol):
        pass
    watching = [
        command for _, command in commands if "$changeStream" in str(command.get("pipeline", ""))
    ]
    assert len(watching) == 1
    assert [thread.name for thread in threading.enumerate()].count("live") == 1


def test_who_listens_ends_some_time_after_the_last_stream(alice, bob, hub, monkeypatch):
    with opened(alice):
        monkeypatch.setattr(hubs, "LINGER_SECONDS", 0.0)
        assert hub.is_watching
    wait_until(lambda: not any(thread.name == "live" for thread in threading.enumerate()))
    assert not hub.is_watching
    post = publish(alice)
    with opened(alice) as page:
        like_post(post_id=post, actor=bob)
        assert page.hear_of("unread")["count"] == 1


def test_nobody_has_a_stream_without_logging_in(client):
    for path in ("/notifications/live/", "/notifications/poll/"):
        assert client.get(path).status_code == 403
        assert client.post(path).status_code in (403, 405)


def test_a_fourth_stream_of_a_person_ends_the_first(alice, bob, hub):
    pages = [Page(alice).begin() for _ in range(3)]
    with opened(bob), opened(alice):
        assert len(hub) == 4
        assert pages[0].hear() == ("full", {})
        assert list(pages[0].lines) == []
    for page in pages:
        page.close()
    assert len(hub) == 0


def test_a_browser_that_comes_again_takes_the_place_of_its_former_stream(alice, hub):
    page = Page(alice).begin()
    again = page.client.get("/notifications/live/")
    assert len(hub) == 1
    assert page.hear() == ("full", {})
    again.close()
    page.close()
    assert len(hub) == 0


def test_a_process_that_is_full_says_so(alice, bob, settings, hub):
    settings.LIVE_MAX_STREAMS = 1
    with opened(alice):
        refused = Page(bob)
        assert (refused.response.status_code, refused.response.content) == (204, b"")
        assert len(hub) == 1
    with opened(bob):
        pass


def test_a_stream_that_nobody_reads_gives_its_place_back(alice, hub):
    Page(alice).close()
    assert len(hub) == 0


def test_a_stream_ends_with_its_log_in_or_its_account(alice, bob, carol, monkeypatch):
    monkeypatch.setattr(hubs, "SESSION_CHECK_SECONDS", 0.2)
    ended, other, closed = Page(alice).begin(), Page(alice).begin(), Page(bob).begin()
    suspended = Page(carol).begin()
    suspend_user(uid=carol.pk)
    assert list(suspended.lines) == []
    ended.client.logout()
    assert list(ended.lines) == []
    bob.is_active = False
    bob.save()
    assert list(closed.lines) == []
    like_post(post_id=publish(alice), actor=bob)
    assert other.hear_of("unread")["count"] == 1
    for page in (ended, other, closed, suspended):
        page.close()


def test_a_process_that_is_to_stop_ends_its_streams_and_opens_no_other(alice, bob, hub):
    page = Page(alice).begin()
    hub.request_shutdown()
    assert list(page.lines) == []
    assert Page(bob).response.status_code == 204
    page.close()


def test_a_stream_ends_after_some_time_whatever_happens(alice, monkeypatch):
    monkeypatch.setattr(page_events, "MAX_STREAM_SECONDS", 0.5)
    with opened(alice) as page:
        assert list(page.lines) == []


def test_a_slow_reader_gets_the_last_word_and_not_all_of_them():
    stream = PageStream(viewer=1, session_key="", followed_uids=[5, 3])
    for count in range(1000):
        stream.add(PageUpdate(unread_count=count))
    stream.add(PageUpdate(has_new_posts=True))
    assert stream.wait_for_update(seconds=0) == PageUpdate(unread_count=999, has_new_posts=True)
    assert stream.wait_for_update(seconds=0) is None
    assert [uid for uid in range(10) if stream.follows(uid)] == [3, 5]


def test_no_process_has_more_streams_than_it_may(settings, hub):
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
    with opened(alice), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # a fork of several threads is the point
        if not (child := os.fork()):
            os._exit(len(hubs.get_hub()) + hubs.get_hub().is_watching)
        assert os.waitpid(child, 0)[1] == 0
