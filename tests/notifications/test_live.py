"""The events that open pages receive, and their cost."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import time_of
from accounts.infra.ids.generator import _generator
from accounts.services.blocks_and_mutes import mute_user
from accounts.services.follows import unfollow_user
from feed import tasks
from feed.services.conversations import mark_read
from feed.services.interactions import unlike_post
from feed.timeline.home import home_page
from notifications.live import hub as hubs
from notifications.live import page_events
from notifications.live.threads import DjangoThreads
from notifications.store import changes
from notifications.store.changes import DatabaseUnavailable, ResumeTokenExpired
from tests.actions import like_post
from tests.factories import follow, follow_many, people, publish, publish_many
from tests.notifications.open_pages import Page, open_page
from tests.notifications.stream_server import wait_until

COMMANDS_OF_SESSION_AND_USER = 2


@pytest.fixture
def netloc(server):
    return server.netloc


def test_a_stream_sends_the_unread_count_whenever_it_changes(netloc, alice, bob, carol):
    post = publish(alice)
    with open_page(netloc, alice) as page:
        like_post(post_id=post, actor=bob)
        assert page.wait_for_event("unread") == {"count": 1, "text": "1 unread notification"}
        like_post(post_id=post, actor=carol)
        assert page.wait_for_event("unread") == {"count": 2, "text": "2 unread notifications"}
        unlike_post(post_id=post, actor=bob)
        unlike_post(post_id=post, actor=carol)
        while (unread := page.wait_for_event("unread"))["count"]:
            pass
        assert unread == {"count": 0, "text": ""}


def test_a_stream_sends_the_number_of_unread_conversations(netloc, alice, bob):
    with open_page(netloc, alice) as page:
        post = publish(bob, "@alice psst", visibility="direct")
        badge = page.wait_for_event("messages")
        assert badge == {"count": 1, "text": "1 unread conversation"}
        mark_read(post_id=post, reader=alice.pk)
        assert page.wait_for_event("messages") == {"count": 0, "text": ""}


def test_a_stream_announces_new_posts_of_followed_users_only(netloc, alice, bob, carol):
    follow(alice, bob)
    top = publish(bob)
    with open_page(netloc, alice, f"?top={top}") as page:
        publish(carol)
        publish(bob, "for @carol", visibility="direct")
        publish(bob)
        assert page.wait_for_event("posts") == {"count": 1, "text": "1 new post"}
        publish(bob)
        assert page.wait_for_event("posts") == {"count": 2, "text": "2 new posts"}


def test_many_new_posts_are_counted_again_after_an_unfollow(netloc, alice, bob, carol, monkeypatch):
    monkeypatch.setattr(page_events, "CHECK_INTERVAL_SECONDS", 0.05)
    follow(alice, bob, carol)
    top = publish(bob)
    publish_many(bob, 20)
    with open_page(netloc, alice, f"?top={top}") as page:
        assert page.wait_for_event("posts")["count"] == 20
        unfollow_user(follower=alice.pk, followee=bob.pk)
        publish(carol)
        assert page.wait_for_event("posts") == {"count": 1, "text": "1 new post"}


def test_a_follow_takes_effect_while_the_stream_is_open(netloc, alice, bob):
    with open_page(netloc, alice, "?top=0") as page:
        follow(alice, bob)
        publish(bob)
        assert page.wait_for_event("posts") == {"count": 1, "text": "1 new post"}


def test_a_page_that_is_left_frees_its_place_and_reads_nothing(server, alice, monkeypatch):
    threads = DjangoThreads(name="content", count=1)
    monkeypatch.setattr(page_events, "content_threads", threads)
    reads, running, can_go_on = [], [], threading.Event()
    monkeypatch.setattr(page_events.PageEvents, "_read_state", lambda *_: reads.append(1) or [])
    server.call(lambda: running.append(asyncio.ensure_future(threads.run(can_go_on.wait, 20))))
    page = Page(server.netloc, alice)
    assert next(page.read_lines()).startswith("retry: ")
    assert len(server.hub) == 1
    page.close()
    wait_until(lambda: len(server.hub) == 0)
    can_go_on.set()
    wait_until(lambda: threads._job_count == 0)
    assert reads == []


def test_a_post_is_announced_after_its_delivery(netloc, alice, bob, carol, settings, monkeypatch):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 1
    queued_tasks = []
    for task in (tasks.deliver_post, tasks.deliver_priority, tasks.deliver_part):
        monkeypatch.setattr(
            task,
            "apply_async",
            lambda *, kwargs, retry, task=task: queued_tasks.append((task, kwargs)),
        )
    follow(alice, bob)
    follow(carol, bob)
    with open_page(netloc, alice, "?top=0") as page:
        publish(bob)
        like_post(post_id=publish(alice), actor=carol)
        assert page.next_event() == ("unread", {"count": 1, "text": "1 unread notification"})
        while queued_tasks:
            task, kwargs = queued_tasks.pop(0)
            task(**kwargs)
        assert page.wait_for_event("posts")["count"] == 1


def test_a_page_without_posts_learns_that_there_are_new_posts(netloc, alice, bob):
    follow(alice, bob)
    with open_page(netloc, alice) as page:
        publish(bob)
        assert page.wait_for_event("posts") is None


def test_an_idle_stream_sends_no_command(netloc, alice, bob, monkeypatch, record_commands):
    monkeypatch.setattr(page_events, "HEARTBEAT_SECONDS", 0.05)
    follow(alice, bob)
    with open_page(netloc, alice) as page, record_commands() as commands:
        lines = page.read_lines()
        assert [next(lines) for _ in range(40)] == ["", ":"] * 20
    # All streams share the change stream. The process records its heartbeat.
    assert {name for name, command in commands if "heartbeats" not in command.values()} <= {
        "getMore"
    }
    assert len(commands) <= 40


def test_opening_a_stream_costs_the_same_for_few_and_many_followed_users(
    netloc, alice, record_commands
):
    client = Client()
    client.force_login(alice)
    for count in (1, 50):
        follow_many([alice], *people(count, prefix=f"q{count}x"))
        with record_commands() as commands, open_page(netloc, alice, client=client):
            pass
        names = [
            name
            for name, command in commands
            if not {"node_leases", "heartbeats"} & {str(value) for value in command.values()}
        ]
        others = [name for name in names if name != "getMore"]
        assert others == ["find", "find", "aggregate", "find"]


def test_a_reconnecting_page_receives_missed_events(server, netloc, alice, bob):
    follow(alice, bob)
    top = publish(bob)
    with open_page(netloc, alice, f"?top={top}") as page:
        publish(bob)
        page.wait_for_event("posts")
    like_post(post_id=publish(alice), actor=bob)
    publish(bob)
    wait_until(lambda: len(server.hub._recent_posts) == 4)
    with open_page(netloc, alice, f"?top={top}", **{"Last-Event-ID": str(top)}) as page:
        assert page.wait_for_event("posts")["count"] == 2


def test_a_page_checks_for_posts_from_before_the_start_of_the_process(netloc, alice, bob):
    follow(alice, bob)
    top = publish(bob)
    with open_page(netloc, alice, f"?top={top - 1}&since=1") as page:
        assert page.wait_for_event("posts")["count"] == 1


@pytest.mark.parametrize("text", ["x", "-1", "9" * 30, "%00", "1e3", "\u00b2"])
def test_invalid_cursors_are_ignored(netloc, alice, text):
    with open_page(netloc, alice, **{"Last-Event-ID": text}):
        pass
    client = Client()
    client.force_login(alice)
    response = client.get("/notifications/poll/", {"top": text})
    assert response.json()["posts"] is None


def test_streams_reload_their_counts_after_a_bug(netloc, alice, bob, monkeypatch):
    async def fail(*_):
        raise KeyError("a bug")

    post = publish(alice)
    with open_page(netloc, alice) as page:
        monkeypatch.setattr(changes.ChangeStream, "content_change", fail)
        like_post(post_id=post, actor=bob)
        assert page.wait_for_event("unread")["count"] == 1


def test_a_change_is_read_again_after_the_database_was_unavailable(netloc, alice, bob, monkeypatch):
    monkeypatch.setattr(hubs, "RECONNECT_SECONDS", 0.01)
    read_change, raised = changes.ChangeStream.content_change, []

    async def fail_once(stream, raw):
        if not raised:
            raised.append(raw)
            raise DatabaseUnavailable("away")
        return await read_change(stream, raw)

    post = publish(alice)
    with open_page(netloc, alice) as page:
        monkeypatch.setattr(changes.ChangeStream, "content_change", fail_once)
        like_post(post_id=post, actor=bob)
        assert page.wait_for_event("unread")["count"] == 1
        assert raised


def test_streams_end_if_changes_may_be_lost(server, netloc, alice, bob, monkeypatch):
    """The clients reconnect, and read their state again."""

    async def fail(*_):
        monkeypatch.undo()
        raise ResumeTokenExpired

    with open_page(netloc, alice) as page:
        opening = server.hub.begin_opening()
        monkeypatch.setattr(changes.ChangeStream, "next", fail)
        assert page.remaining_events() == []
    assert server.hub._oldest_revocation_count > opening.revocation_count, (
        "streams that are being opened end, too"
    )


def test_a_poll_returns_the_same_counts_with_two_commands(alice, bob, carol, record_commands):
    follow(alice, bob)
    top = publish(bob)
    publish(alice)
    client = Client()
    client.force_login(alice)
    client.get("/")
    body = client.get("/notifications/poll/", {"top": top}).json()
    assert body["unread"] == body["messages"] == {"count": 0, "text": ""}
    newest = home_page(viewer=alice.pk, bounds=PageBounds(limit=1)).newest_seen_id
    with record_commands() as commands:
        body = client.get("/notifications/poll/", {"top": newest}).json()
    assert body["posts"] == {"count": 0, "text": ""}
    assert len(commands) - COMMANDS_OF_SESSION_AND_USER == 2
    publish_many(bob, 25)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    body = client.get("/notifications/poll/", {"top": top}).json()
    assert body["posts"] == {"count": 20, "text": "20 or more new posts"}
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    body = client.get("/notifications/poll/", {"top": top}).json()
    assert body["posts"]["count"] == 0


def test_ids_of_events_need_no_database():
    """Events are built on the event loop, which must not wait for the database."""
    _generator.release_node()

    async def events():
        return [page_events._event("unread", {"count": 1})]

    with ThreadPoolExecutor() as pool:
        (event,) = pool.submit(asyncio.run, events()).result()
    assert abs(time_of(id=int(event.id)) - timezone.now()) < timedelta(seconds=5)
