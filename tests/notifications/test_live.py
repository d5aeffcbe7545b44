"""What an open page hears of without asking: which events, for whom, and at what cost."""

import pytest
from django.test import Client

from accounts.infra.cursors import PageBounds
from accounts.services.blocks_and_mutes import mute_user
from feed import tasks
from feed.services.likes import unlike_post
from feed.timeline.home import home_page
from notifications.live import hub as hubs
from notifications.live import page_events
from notifications.store import changes
from notifications.store.changes import DatabaseUnavailable, ResumeTokenExpired
from tests.actions import like_post
from tests.factories import follow, follow_many, people, publish, publish_many
from tests.notifications.open_pages import Page, opened, wait_until

OF_SESSION_AND_USER = 2


@pytest.fixture(autouse=True)
def _listening(hub):
    """In every test."""


def test_a_stream_tells_how_many_are_unread_each_time_it_changes(alice, bob, carol):
    post = publish(alice)
    with opened(alice) as page:
        like_post(post_id=post, actor=bob)
        assert page.hear_of("unread") == {"count": 1, "text": "1 unread notification"}
        like_post(post_id=post, actor=carol)
        assert page.hear_of("unread") == {"count": 2, "text": "2 unread notifications"}
        unlike_post(post_id=post, actor=bob)
        unlike_post(post_id=post, actor=carol)
        while (result := page.hear_of("unread"))["count"]:
            pass
        assert result == {"count": 0, "text": ""}


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
    settings.FEED_INLINE_AUDIENCE_LIMIT = 1
    asked = []
    for task in (tasks.deliver_post, tasks.deliver_priority, tasks.deliver_part):
        monkeypatch.setattr(
            task, "apply_async", lambda *, kwargs, retry, task=task: asked.append((task, kwargs))
        )
    follow(alice, bob)
    follow(carol, bob)
    with opened(alice, "/notifications/live/?top=0") as page:
        publish(bob)
        like_post(post_id=publish(alice), actor=carol)
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
    monkeypatch.setattr(page_events, "HEARTBEAT_SECONDS", 0.05)
    follow(alice, bob)
    with opened(alice) as page, record_commands() as commands:
        assert [next(page.lines) for _ in range(20)] == [b":\n\n"] * 20
    # The one question of all streams: whether anything has changed.
    assert {name for name, _ in commands} <= {"getMore"}
    assert len(commands) <= 40


def test_an_opening_costs_the_same_for_few_and_many_followed(alice, record_commands):
    with opened(alice) as page:  # who listens has begun
        for more in (1, 50):
            follow_many([alice], *people(more, prefix=f"q{more}x"))
            with record_commands() as commands:
                again = page.client.get("/notifications/live/")
                lines = iter(again.streaming_content)
                assert b"unread" in next(lines) + next(lines)
            again.close()
            asked = [name for name, command in commands if "node_leases" not in command.values()]
            others = [name for name in asked if name != "getMore"]
            assert others == ["aggregate", "aggregate", "find", "find"]


def test_who_comes_back_is_told_what_they_missed(alice, bob, carol):
    follow(alice, bob)
    top = publish(bob)
    path = f"/notifications/live/?top={top}"
    with opened(carol):  # somebody listens all the time
        with opened(alice, path) as page:
            publish(bob)
            page.hear_of("posts")
        like_post(post_id=publish(alice), actor=bob)
        publish(bob)
        wait_until(lambda: len(hubs.get_hub()._recent_posts) == 3)
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


@pytest.mark.parametrize(
    "failure", [ResumeTokenExpired(), DatabaseUnavailable("away"), KeyError("a bug")]
)
def test_every_stream_looks_again_when_something_may_have_been_missed(
    alice, bob, monkeypatch, failure
):
    monkeypatch.setattr(hubs, "RECONNECT_SECONDS", 0.01)
    follow(alice, bob)
    top = publish(bob)
    raised = []

    def fail(*_):
        raised.append(failure)
        raise failure

    with opened(alice, f"/notifications/live/?top={top}") as page:
        with monkeypatch.context() as patched:
            patched.setattr(changes.ChangeStream, "_parse_event", fail)
            like_post(post_id=publish(alice), actor=bob)
            wait_until(lambda: raised)
        assert page.hear_of("unread")["count"] == 1


def test_a_poll_says_the_same_at_two_commands_and_one_more(alice, bob, carol, record_commands):
    follow(alice, bob)
    top = publish(bob)
    publish(alice)
    client = Client()
    client.force_login(alice)
    client.get("/")
    body = client.get("/notifications/poll/", {"top": top}).json()
    assert body["unread"] == {"count": 0, "text": ""}
    newest = home_page(viewer=alice.pk, bounds=PageBounds(limit=1)).newest_seen_id
    with record_commands() as commands:
        body = client.get("/notifications/poll/", {"top": newest}).json()
    assert body["posts"] == {"count": 0, "text": ""}
    assert len(commands) - OF_SESSION_AND_USER == 3
    publish_many(bob, 25)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    body = client.get("/notifications/poll/", {"top": top}).json()
    assert body["posts"] == {"count": 20, "text": "20 or more new posts"}
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    body = client.get("/notifications/poll/", {"top": top}).json()
    assert body["posts"]["count"] == 0
