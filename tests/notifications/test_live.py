"""What an open page hears of without asking: which events, for whom, and at what cost."""

import json
import threading
import time
from collections import deque
from contextlib import contextmanager

import pytest
from django.test import Client

from accounts import services as accounts
from accounts.paging import id_in
from feed import selectors, tasks
from feed import services as feed
from notifications.live import events
from notifications.live import hub as hubs
from notifications.live.hub import News, Stream, TooManyStreams
from notifications.store import live
from notifications.store.live import HistoryLost, Unavailable
from tests.factories import follow, people, publish

OF_SESSION_AND_USER = 2


@pytest.fixture(autouse=True)
def _soon(hub, monkeypatch):
    """Looks come soon; and nobody waits for ever for what does not come."""
    monkeypatch.setattr(events, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(events, "LIFE_SECONDS", 60.0)


class Page:
    """An open page: what its stream says, read one by one."""

    def __init__(self, user, path="/notifications/live/", **headers):
        self.heard = deque()
        self.client = Client()
        self.client.force_login(user)
        self.response = self.client.get(path, headers=headers)
        self.lines = iter(self.response.streaming_content) if self.response.streaming else None

    def hear(self):
        """The next event: (name, data)."""
        while not self.heard:
            for one in next(self.lines).decode().split("\n\n"):
                fields = dict(line.split(": ", 1) for line in one.splitlines() if ": " in line)
                if "event" in fields:
                    assert fields["event"] == "full" or id_in(fields["id"])
                    self.heard.append((fields["event"], json.loads(fields["data"])))
        return self.heard.popleft()

    def hear_of(self, name):
        """What is said under this name next."""
        while True:
            said, data = self.hear()
            if said == name:
                return data

    def begin(self):
        """Until it has heard how things are."""
        assert next(self.lines).startswith(b"retry: ")
        assert self.hear_of("unread") is not None
        return self

    def close(self):
        self.response.close()


@contextmanager
def opened(user, path="/notifications/live/", **headers):
    page = Page(user, path, **headers).begin()
    try:
        yield page
    finally:
        page.close()


def wait_until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_stream_tells_how_many_are_unread_each_time_it_changes(alice, bob, carol):
    post = publish(alice)
    with opened(alice) as page:
        feed.like_post(post_id=post, actor=bob)
        assert page.hear_of("unread") == {"count": 1, "text": "1 unread notification"}
        feed.like_post(post_id=post, actor=carol)
        assert page.hear_of("unread") == {"count": 2, "text": "2 unread notifications"}
        feed.unlike_post(post_id=post, actor=bob)
        feed.unlike_post(post_id=post, actor=carol)
        while (told := page.hear_of("unread"))["count"]:
            pass
        assert told == {"count": 0, "text": ""}


def test_a_stream_tells_of_new_posts_of_followed_people_only(alice, bob, carol):
    follow(alice, bob)
    top = publish(bob)
    with opened(alice, f"/notifications/live/?top={top}") as page:
        publish(carol)
        publish(bob, "for @carol", visibility="direct")
        publish(bob)
        assert page.hear_of("posts") == {"count": 1, "text": "1 new post"}
        publish(bob)
        assert page.hear_of("posts") == {"count": 2, "text": "2 new posts"}


def test_a_post_is_told_of_when_it_has_come_to_its_readers(
    alice, bob, carol, settings, monkeypatch
):
    settings.FEED_INLINE_AUDIENCE = 1
    asked = []
    for task in (tasks.deliver_post, tasks.deliver_first, tasks.deliver_part):
        monkeypatch.setattr(
            task, "apply_async", lambda *, kwargs, retry, task=task: asked.append((task, kwargs))
        )
    follow(alice, bob)
    follow(carol, bob)
    with opened(alice, "/notifications/live/?top=0") as page:
        publish(bob)
        feed.like_post(post_id=publish(alice), actor=carol)
        assert page.hear() == ("unread", {"count": 1, "text": "1 unread notification"})
        while asked:
            task, kwargs = asked.pop(0)
            task(**kwargs)
        assert page.hear_of("posts")["count"] == 1


def test_a_page_that_shows_no_posts_hears_that_there_are_some(alice, bob):
    follow(alice, bob)
    with opened(alice) as page:
        publish(bob)
        assert page.hear_of("posts") is None


def test_an_idle_stream_costs_no_command(alice, bob, monkeypatch, record_commands):
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.05)
    follow(alice, bob)
    with opened(alice) as page, record_commands() as commands:
        assert [next(page.lines) for _ in range(20)] == [b":\n\n"] * 20
    # The one question of all streams: whether anything has changed.
    assert {name for name, _ in commands} <= {"getMore"}
    assert len(commands) <= 40


def test_an_opening_costs_the_same_for_few_and_many_followed(alice, record_commands):
    with opened(alice) as page:  # who listens has begun
        for more in (1, 50):
            follow(alice, *people(more, prefix=f"q{more}x"))
            with record_commands() as commands:
                again = page.client.get("/notifications/live/")
                lines = iter(again.streaming_content)
                assert b"unread" in next(lines) + next(lines)
            again.close()
            asked = [name for name, one in commands if "node_leases" not in one.values()]
            others = [name for name in asked if name != "getMore"]
            assert others == ["aggregate", "aggregate", "find", "find"]


def test_all_streams_of_a_process_share_one_change_stream(alice, bob, carol, record_commands):
    with record_commands() as commands, opened(alice), opened(bob), opened(carol):
        pass
    watching = [one for _, one in commands if "$changeStream" in str(one.get("pipeline", ""))]
    assert len(watching) == 1
    assert [one.name for one in threading.enumerate()].count("live") == 1


def test_who_listens_ends_some_time_after_the_last_stream(alice, bob, hub, monkeypatch):
    with opened(alice):
        monkeypatch.setattr(hubs, "LINGER_SECONDS", 0.0)
        assert hub.is_watching
    wait_until(lambda: not any(one.name == "live" for one in threading.enumerate()))
    assert not hub.is_watching
    post = publish(alice)
    with opened(alice) as page:
        feed.like_post(post_id=post, actor=bob)
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
    settings.LIVE_STREAMS = 1
    with opened(alice):
        refused = Page(bob)
        assert (refused.response.status_code, refused.response.content) == (204, b"")
        assert len(hub) == 1
    with opened(bob):
        pass


def test_a_stream_that_nobody_reads_gives_its_place_back(alice, hub):
    Page(alice).close()
    assert len(hub) == 0


def test_a_stream_ends_with_its_log_in_or_its_account(alice, bob):
    ended, other, closed = Page(alice).begin(), Page(alice).begin(), Page(bob).begin()
    ended.client.logout()
    assert list(ended.lines) == []
    bob.is_active = False
    bob.save()
    assert list(closed.lines) == []
    feed.like_post(post_id=publish(alice), actor=bob)
    assert other.hear_of("unread")["count"] == 1
    for page in (ended, other, closed):
        page.close()


def test_a_stream_ends_after_some_time_whatever_happens(alice, monkeypatch):
    monkeypatch.setattr(events, "LIFE_SECONDS", 0.5)
    with opened(alice) as page:
        assert list(page.lines) == []


def test_who_comes_back_is_told_what_they_missed(alice, bob, carol):
    follow(alice, bob)
    top = publish(bob)
    path = f"/notifications/live/?top={top}"
    with opened(carol):  # somebody listens all the time
        with opened(alice, path) as page:
            publish(bob)
            page.hear_of("posts")
        feed.like_post(post_id=publish(alice), actor=bob)
        publish(bob)
        wait_until(lambda: len(hubs.hub()._heard) == 3)
        page = Page(alice, path, **{"Last-Event-ID": str(top)})
        page.begin()
        assert page.hear_of("posts")["count"] == 2
        page.close()


def test_who_was_told_by_somebody_else_may_have_missed_posts(alice, bob):
    """Another process, or this one before: what happened then was not heard here."""
    follow(alice, bob)
    top = publish(bob)
    publish(bob)
    with opened(alice, f"/notifications/live/?top={top}&since={top}") as page:
        assert page.hear_of("posts")["count"] == 1


@pytest.mark.parametrize("text", ["x", "-1", "9" * 30, "\x00", "1e3", "²"])
def test_cursors_that_are_none_are_none(alice, text):
    with opened(alice, "/notifications/live/", **{"Last-Event-ID": text}):
        pass
    client = Client()
    client.force_login(alice)
    answer = client.get("/notifications/poll/", {"top": text})
    assert answer.json()["posts"] is None


@pytest.mark.parametrize("failure", [HistoryLost(), Unavailable("away"), KeyError("a bug")])
def test_every_stream_looks_again_when_something_may_have_been_missed(
    alice, bob, monkeypatch, failure
):
    monkeypatch.setattr(hubs, "PAUSE_SECONDS", 0.01)
    follow(alice, bob)
    top = publish(bob)
    raised = []

    def fail(*_):
        raised.append(failure)
        raise failure

    with opened(alice, f"/notifications/live/?top={top}") as page:
        with monkeypatch.context() as patched:
            patched.setattr(live.Changes, "_change", fail)
            feed.like_post(post_id=publish(alice), actor=bob)
            wait_until(lambda: raised)
        assert page.hear_of("unread")["count"] == 1


def test_a_poll_says_the_same_at_two_commands_and_one_more(alice, bob, carol, record_commands):
    follow(alice, bob)
    top = publish(bob)
    publish(alice)
    client = Client()
    client.force_login(alice)
    client.get("/")
    told = client.get("/notifications/poll/", {"top": top}).json()
    assert told["unread"] == {"count": 0, "text": ""}
    newest = selectors.home_page(reader=alice.pk, limit=1).top
    with record_commands() as commands:
        told = client.get("/notifications/poll/", {"top": newest}).json()
    assert told["posts"] == {"count": 0, "text": ""}
    assert len(commands) - OF_SESSION_AND_USER == 3
    for _ in range(25):
        publish(bob)
    accounts.mute(owner=alice.pk, other=carol.pk, until=None)
    told = client.get("/notifications/poll/", {"top": top}).json()
    assert told["posts"] == {"count": 20, "text": "20 or more new posts"}
    accounts.mute(owner=alice.pk, other=bob.pk, until=None)
    told = client.get("/notifications/poll/", {"top": top}).json()
    assert told["posts"]["count"] == 0


def test_a_slow_reader_gets_the_last_word_and_not_all_of_them():
    stream = Stream(reader=1, session="", followees=[5, 3])
    for count in range(1000):
        stream.put(News(unread=count))
    stream.put(News(posts=True))
    assert stream.wait(seconds=0) == News(unread=999, posts=True)
    assert stream.wait(seconds=0) is None
    assert [uid for uid in range(10) if stream.follows(uid)] == [3, 5]


def test_no_process_has_more_streams_than_it_may(settings, hub):
    settings.LIVE_STREAMS = 5
    streams = [Stream(reader=n, session=str(n), followees=()) for n in range(8)]
    refused = 0
    for one in streams:
        try:
            hub.open(stream=one)
        except TooManyStreams:
            refused += 1
    assert (len(hub), refused) == (5, 3)
    for one in streams * 2:
        hub.close(stream=one)
    assert len(hub) == 0
