"""From one strategy to another on a live site: every reader's pages stay right, wherever it is stopped."""

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
from tests.factories import follow, people, publish
from tests.feed.strategy_site import (
    HEADS,
    PARTS,
    deliver,
    held,
    killed_after,
    read_down,
    write,
)

CACHE_SECONDS = 0.05


@pytest.fixture(autouse=True)
def quick(settings, monkeypatch):
    """Small limits, short waits, and in each thread what each process has: a memory of its own."""
    settings.FEED_INBOX_MAX = 30
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)
    monkeypatch.setattr(strategy_switch, "BUILD_BATCH_SIZE", 2)
    monkeypatch.setattr(selection, "CACHE_SECONDS", CACHE_SECONDS)
    cache = type("Cache", (threading.local,), {"value": (0.0, None)})()
    monkeypatch.setattr(selection, "_Cache", cache)


def switch(name, *arguments):
    result = StringIO()
    call_command("switch_strategy", name, *arguments, stdout=result)
    return result.getvalue()


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
def test_people_write_follow_and_read_as_ever_while_the_site_switches(
    settings, monkeypatch, old, new
):
    settings.FEED_STRATEGY = old
    settings.FEED_INBOX_MAX = 1000  # no floor hides what is missing
    monkeypatch.setattr(selection, "CACHE_SECONDS", 2 * CACHE_SECONDS)
    build = STRATEGIES[new].build_inbox

    def build_while_others_publish(*, owner):
        build(owner=owner)
        existing = len(finished)
        while len(finished) < existing + 2 and not end.wait(0.001):
            pass

    monkeypatch.setattr(STRATEGIES[new], "build_inbox", build_while_others_publish)
    authors, readers, late = people(3, "author"), people(5, "reader"), people(1, "late")[0]
    for reader in readers:
        follow(reader, *authors[:2])
        held(reader)
    before = [*write(authors[0], 12), *write(authors[2], 12)]
    deliver(before[:12], *readers)
    for reader in readers[:3]:
        follow(reader, authors[2])  # their followers get those of before too
    finished: list[tuple[int, int]] = []  # (author's number, post): its delivery is over
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
            existing = {post for number, post in list(finished) if number in followed}
            seen = read_down(reader, 40)
            assert seen == sorted(set(seen), reverse=True)
            assert existing <= set(seen)

    def switch_over():
        try:
            switch(new)
            read_down(late)  # somebody new, afterwards
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
    assert len(finished) > 3
    for number, reader in enumerate(readers):
        followed = {0, 1} if number == 4 else {0, 1, 2}
        own = before if number < 4 else before[:12]
        wanted = {*own, *(post for author, post in finished if author in followed)}
        assert read_down(reader, 40) == sorted(wanted, reverse=True)
    assert count(HEADS, old) == count(PARTS, old) == 0
    assert count(HEADS, new) == (len(readers) + 1 if new in HEADS else 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"), [("buckets", "counted_buckets"), ("fan_out_on_write", "buckets")]
)
def test_a_switch_killed_anywhere_goes_on_where_it_was(alice, bob, settings, old, new):
    settings.FEED_STRATEGY = old
    readers = [alice, *people(3)]
    for reader in readers:
        follow(reader, bob)
        held(reader)
    results = [publish(bob) for _ in range(15)]
    steps, runs = set(), 0
    while (existing := switch_store.get_switch()) is None or existing.step != "done":
        runs += 1
        with killed_after(runs):
            switch(new)
        steps.add(state()["step"])
        selection.clear_cache()
        results.append(publish(bob))
        for reader in readers[:2]:
            assert read_down(reader, 40) == results[::-1]
    assert steps >= {"clear", "join", "copy", "done"}
    for reader in readers:
        assert read_down(reader, 40) == results[::-1]
    assert count(HEADS, old) == count(PARTS, old) == 0
    assert count(HEADS, new) == len(readers)


@pytest.mark.parametrize("step", strategy_switch.STEPS)
def test_a_switch_stopped_in_a_step_goes_on_with_this_step(alice, bob, step):
    follow(alice, bob)
    held(alice)
    results = [publish(bob) for _ in range(12)]
    going_on = strategy_switch.switch_to(target="fan_out_on_write")
    for at, _ in going_on:
        if at == step:
            break
    going_on.close()
    assert state()["step"] == step
    selection.clear_cache()
    results.append(publish(bob))
    assert read_down(alice) == results[::-1]
    rest = [at for at, _ in strategy_switch.switch_to(target="fan_out_on_write")]
    assert rest[0] == step
    results.append(publish(bob))
    assert read_down(alice) == results[::-1]
    assert held(alice)[0] == results[::-1]


def test_readers_who_are_done_are_not_built_again(alice, bob, monkeypatch):
    readers = sorted([alice, bob, *people(3)], key=lambda row: row.pk)
    for reader in readers:
        held(reader)
    going_on = strategy_switch.switch_to(target="fan_out_on_write")
    for _, done in going_on:
        if done:
            break
    going_on.close()
    built = []
    original = STRATEGIES["fan_out_on_write"].build_inbox

    def build(*, owner):
        built.append(owner)
        original(owner=owner)

    monkeypatch.setattr(STRATEGIES["fan_out_on_write"], "build_inbox", build)
    assert sum(done for _, done in strategy_switch.switch_to(target="fan_out_on_write")) == 3
    assert built == [post.pk for post in readers[2:]]


def test_what_an_earlier_use_has_left_is_not_believed(alice, bob, settings):
    follow(alice, bob)
    settings.FEED_STRATEGY = "counted_buckets"
    held(alice)
    results = [publish(bob)]
    settings.FEED_STRATEGY = "buckets"  # by hand, and nothing was dropped
    held(alice)
    results += [publish(bob), publish(bob)]
    switch("counted_buckets")
    assert held(alice) == (results[::-1], 0)
    switch("buckets")
    results.append(publish(bob))
    assert held(alice) == (results[::-1], 0)
    assert read_down(alice) == results[::-1]


def test_a_clearing_that_comes_too_late_ends_no_new_inbox(alice, bob):
    follow(alice, bob)
    held(alice)
    results = [publish(bob) for _ in range(12)]
    for step, _ in strategy_switch.switch_to(target="fan_out_on_write"):
        if step == "clear":
            late = switch_store.get_switch()
    gen = entry_inboxes.lifecycle.get_head(owner=alice.pk).gen
    STRATEGIES["fan_out_on_write"].lifecycle.drop_generations(below=late.cutoff_id)
    strategy_switch._advance(late, written=("buckets",))
    assert state()["step"] == "done"
    assert held(alice) == (results[::-1], 0)
    assert entry_inboxes.lifecycle.get_head(owner=alice.pk).gen == gen


def test_who_has_an_inbox_in_either_gets_older_posts(alice, bob, carol):
    held(alice)
    for step, _ in strategy_switch.switch_to(target="fan_out_on_write"):
        if step == "read":
            break
    connection.database["inbox_heads"].delete_many({})
    selection.clear_cache()
    assert strategies.warm_owners(uids=[alice.pk, bob.pk]) == {alice.pk}
    older = write(carol, 2)
    follow(alice, carol)
    assert held(alice)[0] == older[::-1]


def test_the_database_counts_more_than_the_setting(settings):
    assert "Set FEED_STRATEGY=fan_out_on_read" in switch("fan_out_on_read")
    assert settings.FEED_STRATEGY == "buckets"
    assert strategies.active_strategy() is STRATEGIES["fan_out_on_read"]
    assert "in use already" in switch("fan_out_on_read")
    settings.FEED_STRATEGY = "fan_out_on_read"
    assert "FEED_STRATEGY" not in switch("fan_out_on_read")


def test_a_dry_run_changes_nothing(alice, bob):
    held(alice)
    held(bob)
    result = switch("fan_out_on_write", "--dry-run")
    assert "2 users would switch from buckets to fan_out_on_write" in result
    assert state() is None
    assert count(HEADS, "fan_out_on_write") == 0


def test_a_name_that_is_none_and_a_second_switch_are_refused():
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


def test_asking_which_strategy_is_in_use_costs_one_command_in_a_while(
    alice, record_commands, monkeypatch
):
    monkeypatch.setattr(selection, "CACHE_SECONDS", 60.0)
    held(alice)
    with record_commands() as commands:
        for _ in range(3):
            held(alice)
            strategies.deliver(activity=1, recipients=[alice.pk])
    assert [command for _, command in commands if command.get("find") == "strategy_switch"] == []
