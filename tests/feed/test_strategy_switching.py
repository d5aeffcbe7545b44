"""Switch strategies on a live site: all pages stay correct, even after a killed switch."""

import threading
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.services.follows import unfollow_user
from feed.timeline import selection, strategies, strategy_switch
from feed.timeline.store import entry_inboxes, seal
from feed.timeline.store import strategy_switch as switch_store
from feed.timeline.strategies import STRATEGIES
from tests.at_once import at_once
from tests.factories import follow, people, publish, publish_many
from tests.feed.strategy_site import (
    HEADS,
    PARTS,
    deliver,
    killed_after,
    read_down,
    stored_inbox,
    write,
)

CACHE_SECONDS = 0.05


@pytest.fixture(autouse=True)
def small_and_fast(settings, monkeypatch):
    """Set small limits and short waits. Threads stand for processes, so each thread has its own cache."""
    settings.FEED_INBOX_MAX = 30
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)
    monkeypatch.setattr(strategy_switch, "BUILD_BATCH_SIZE", 2)
    monkeypatch.setattr(selection, "CACHE_SECONDS", CACHE_SECONDS)
    cache = type("Cache", (threading.local,), {"value": (0.0, None)})()
    monkeypatch.setattr(selection, "_Cache", cache)


def switch(name, *arguments):
    out = StringIO()
    call_command("switch_strategy", name, *arguments, stdout=out)
    return out.getvalue()


def count(collections, strategy):
    name = collections.get(strategy)
    return connection.database[name].count_documents({}) if name else 0


def state():
    document = connection.database["strategy_switch"].find_one()
    return document and {key: document[key] for key in ("active", "written", "target", "step")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("buckets", "fan_out_on_write"),
        ("fan_out_on_write", "counted_buckets"),
        ("counted_buckets", "buckets"),
        ("buckets", "fan_out_on_read"),
        ("fan_out_on_read", "buckets"),
    ],
)
def test_pages_stay_correct_during_a_switch(settings, monkeypatch, old, new):
    settings.FEED_STRATEGY = old
    settings.FEED_INBOX_MAX = 1000  # so large that no floor hides missing posts
    monkeypatch.setattr(selection, "CACHE_SECONDS", 2 * CACHE_SECONDS)
    build, advance = STRATEGIES[new].build_inbox, switch_store.advance_step

    def wait_for_two_posts():
        finished_before = len(finished)
        while len(finished) < finished_before + 2 and not end.wait(0.001):
            pass

    def build_while_others_publish(*, owner):
        build(owner=owner)
        wait_for_two_posts()

    def advance_while_others_publish(**step):
        advance(**step)
        wait_for_two_posts()

    monkeypatch.setattr(STRATEGIES[new], "build_inbox", build_while_others_publish)
    monkeypatch.setattr(switch_store, "advance_step", advance_while_others_publish)
    authors, readers, late_user = people(3, "author"), people(5, "reader"), people(1, "late")[0]
    for reader in readers:
        follow(reader, *authors[:2])
        stored_inbox(reader)
    before = [*write(authors[0], 12), *write(authors[2], 12)]
    deliver(before[:12], *readers)
    for reader in readers[:3]:
        follow(reader, authors[2])  # a new follower gets the earlier posts, too
    finished: list[tuple[int, int]] = []  # finished deliveries: (number of the author, post id)
    end = threading.Event()

    def publish_all_the_time():
        while not end.is_set():
            for number, author in enumerate(authors):
                post = publish(author)
                finished.append((number, post))

    def follow_all_the_time():
        while not end.is_set():
            follow(readers[3], authors[2])
            unfollow_user(follower=readers[3].pk, followee=authors[2].pk)
        follow(readers[3], authors[2])

    def read_all_the_time(reader, followed):
        while not end.is_set():
            finished_posts = {post for number, post in list(finished) if number in followed}
            seen = read_down(reader, 40)
            assert seen == sorted(set(seen), reverse=True)
            assert finished_posts <= set(seen)

    def switch_over():
        try:
            switch(new)
            read_down(late_user)  # the first visit of this user is after the switch
        finally:
            end.set()

    at_once(
        switch_over,
        publish_all_the_time,
        follow_all_the_time,
        lambda: read_all_the_time(readers[0], {0, 1, 2}),
        lambda: read_all_the_time(readers[4], {0, 1}),
    )
    assert state() == {"active": new, "written": [new], "target": new, "step": "done"}
    assert strategies.written_strategies() == [STRATEGIES[new]]
    assert len(finished) >= 2 * len(strategy_switch.STEPS)
    for number, reader in enumerate(readers):
        followed = {0, 1} if number == 4 else {0, 1, 2}
        own = before if number < 4 else before[:12]
        expected = {*own, *(post for author, post in finished if author in followed)}
        assert read_down(reader, 40) == sorted(expected, reverse=True)
    assert count(HEADS, old) == count(PARTS, old) == 0
    assert count(HEADS, new) == (len(readers) + 1 if new in HEADS else 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"), [("buckets", "counted_buckets"), ("fan_out_on_write", "buckets")]
)
def test_a_killed_switch_is_resumed(alice, bob, settings, old, new):
    settings.FEED_STRATEGY = old
    readers = [alice, *people(3)]
    for reader in readers:
        follow(reader, bob)
        stored_inbox(reader)
    post_ids = [publish(bob) for _ in range(15)]
    steps, runs = set(), 0
    while (current := switch_store.get_switch()) is None or current.step != "done":
        runs += 1
        with killed_after(runs):
            switch(new)
        steps.add(state()["step"])
        selection.clear_cache()
        post_ids.append(publish(bob))
        for reader in readers[:2]:
            assert read_down(reader, 40) == post_ids[::-1]
    assert steps >= {"clear", "join", "copy", "done"}
    for reader in readers:
        assert read_down(reader, 40) == post_ids[::-1]
    assert count(HEADS, old) == count(PARTS, old) == 0
    assert count(HEADS, new) == len(readers)


@pytest.mark.parametrize("step", strategy_switch.STEPS)
def test_a_stopped_switch_resumes_at_its_step(alice, bob, step):
    follow(alice, bob)
    stored_inbox(alice)
    post_ids = publish_many(bob, 12)
    stopped_switch = strategy_switch.switch_to(target="fan_out_on_write")
    for current_step, _ in stopped_switch:
        if current_step == step:
            break
    stopped_switch.close()
    assert state()["step"] == step
    selection.clear_cache()
    post_ids.append(publish(bob))
    assert read_down(alice) == post_ids[::-1]
    rest = [
        current_step for current_step, _ in strategy_switch.switch_to(target="fan_out_on_write")
    ]
    assert rest[0] == step
    post_ids.append(publish(bob))
    assert read_down(alice) == post_ids[::-1]
    assert stored_inbox(alice)[0] == post_ids[::-1]


def test_finished_inboxes_are_not_rebuilt(alice, bob, monkeypatch):
    readers = sorted([alice, bob, *people(3)], key=lambda reader: reader.pk)
    for reader in readers:
        stored_inbox(reader)
    stopped_switch = strategy_switch.switch_to(target="fan_out_on_write")
    for _, built_count in stopped_switch:
        if built_count:
            break
    stopped_switch.close()
    built = []
    original = STRATEGIES["fan_out_on_write"].build_inbox

    def build(*, owner):
        built.append(owner)
        original(owner=owner)

    monkeypatch.setattr(STRATEGIES["fan_out_on_write"], "build_inbox", build)
    assert (
        sum(built_count for _, built_count in strategy_switch.switch_to(target="fan_out_on_write"))
        == 3
    )
    assert built == [reader.pk for reader in readers[2:]]


def test_old_inboxes_of_a_strategy_are_not_used(alice, bob, settings):
    follow(alice, bob)
    settings.FEED_STRATEGY = "counted_buckets"
    stored_inbox(alice)
    post_ids = [publish(bob)]
    settings.FEED_STRATEGY = "buckets"  # unlike ``switch_strategy``, this drops no inbox
    stored_inbox(alice)
    post_ids += [publish(bob), publish(bob)]
    switch("counted_buckets")
    assert stored_inbox(alice) == (post_ids[::-1], 0)
    switch("buckets")
    post_ids.append(publish(bob))
    assert stored_inbox(alice) == (post_ids[::-1], 0)
    assert read_down(alice) == post_ids[::-1]


def test_a_late_clear_step_keeps_new_inboxes(alice, bob):
    follow(alice, bob)
    stored_inbox(alice)
    post_ids = [publish(bob) for _ in range(12)]
    for step, _ in strategy_switch.switch_to(target="fan_out_on_write"):
        if step == "clear":
            late = switch_store.get_switch()
    gen = entry_inboxes.lifecycle.get_head(owner=alice.pk).gen
    STRATEGIES["fan_out_on_write"].lifecycle.drop_generations(below=late.cutoff_id)
    strategy_switch._advance(late, written=("buckets",))
    assert state()["step"] == "done"
    assert stored_inbox(alice) == (post_ids[::-1], 0)
    assert entry_inboxes.lifecycle.get_head(owner=alice.pk).gen == gen


def test_users_with_an_inbox_in_either_strategy_get_older_posts(alice, bob, carol):
    stored_inbox(alice)
    for step, _ in strategy_switch.switch_to(target="fan_out_on_write"):
        if step == "read":
            break
    connection.database["inbox_heads"].delete_many({})
    selection.clear_cache()
    assert strategies.warm_owners(uids=[alice.pk, bob.pk]) == {alice.pk}
    older = write(carol, 2)
    follow(alice, carol)
    assert stored_inbox(alice)[0] == older[::-1]


def test_the_database_overrides_the_setting(settings):
    assert "Set FEED_STRATEGY=fan_out_on_read" in switch("fan_out_on_read")
    assert settings.FEED_STRATEGY == "buckets"
    assert strategies.active_strategy() is STRATEGIES["fan_out_on_read"]
    assert "in use already" in switch("fan_out_on_read")
    settings.FEED_STRATEGY = "fan_out_on_read"
    assert "FEED_STRATEGY" not in switch("fan_out_on_read")


def test_a_dry_run_changes_nothing(alice, bob):
    stored_inbox(alice)
    stored_inbox(bob)
    result = switch("fan_out_on_write", "--dry-run")
    assert "2 users would switch from buckets to fan_out_on_write" in result
    assert state() is None
    assert count(HEADS, "fan_out_on_write") == 0


def test_unknown_strategies_and_a_second_switch_are_refused():
    with pytest.raises(CommandError, match="Unknown strategy 'magic'"):
        switch("magic")
    assert "in use already" in switch("buckets")
    assert state() is None
    for step, _ in strategy_switch.switch_to(target="counted_buckets"):
        if step == "copy":
            break
    for other in ("fan_out_on_read", "buckets"):
        with pytest.raises(CommandError, match="A switch to counted_buckets is under way"):
            switch(other)
    assert state()["target"] == "counted_buckets"


def test_the_active_strategy_is_cached(alice, record_commands, monkeypatch):
    monkeypatch.setattr(selection, "CACHE_SECONDS", 60.0)
    stored_inbox(alice)
    with record_commands() as commands:
        for _ in range(3):
            stored_inbox(alice)
            strategies.deliver(activity=1, recipients=[alice.pk])
    assert [command for _, command in commands if command.get("find") == "strategy_switch"] == []
