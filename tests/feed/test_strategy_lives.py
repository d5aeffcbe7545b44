"""What every strategy promises while inboxes are built and dropped, and when writers meet or are killed."""

from functools import partial
from unittest.mock import patch

import pytest
from pymongo.collection import Collection

from feed.store import posts
from feed.timeline import strategies
from feed.timeline.strategies import STRATEGIES, warmup
from tests.at_once import at_once
from tests.factories import follow, people
from tests.feed.strategy_site import (
    assert_complete,
    deliver,
    documents,
    drop,
    held,
    is_held,
    killed_after,
    read_down,
    say,
    stay_away,
    use,
    use_tiny,
    write,
)


@pytest.fixture(params=sorted(STRATEGIES))
def strategy(request, settings, monkeypatch):
    use_tiny(request.param, settings, monkeypatch)
    return request.param


SLOW = pytest.mark.slow
MOSTLY_SLOW = pytest.mark.parametrize(
    "strategy",
    [
        "buckets",
        "fan_out_on_read",
        pytest.param("fan_out_on_write", marks=SLOW),
        pytest.param("counted_buckets", marks=SLOW),
    ],
    indirect=True,
)


def test_every_strategy_is_among_those_that_are_mostly_slow():
    names = {getattr(value, "values", (value,))[0] for value in MOSTLY_SLOW.args[1]}
    assert names == set(STRATEGIES)


def test_deliveries_while_an_inbox_is_built_are_kept(alice, bob, strategy, monkeypatch):
    follow(alice, bob)
    expected_ids = write(bob, 30)
    original = posts.ids_by_authors

    def overtaken(**arguments):
        read_ids = original(**arguments)
        at_once(lambda: expected_ids.extend(say(bob, 4, alice)))  # too late to be found
        return read_ids

    monkeypatch.setattr(warmup.posts, "ids_by_authors", overtaken)
    held(alice)
    monkeypatch.setattr(warmup.posts, "ids_by_authors", original)
    expected_ids += say(bob, 3, alice)
    assert_complete(alice, expected_ids)
    assert read_down(alice) == expected_ids[::-1]


@MOSTLY_SLOW
def test_an_inbox_built_by_many_at_once_while_others_publish_is_whole(alice, bob, strategy):
    follow(alice, bob)
    result = write(bob, 12)
    for _ in range(3):
        at_once(*[lambda: held(alice)] * 3, lambda: result.extend(say(bob, 3, alice)))
        assert_complete(alice, result)
        stay_away(strategy, alice)
        at_once(drop, lambda: result.extend(say(bob, 2, alice)))
    assert read_down(alice) == result[::-1]


def test_who_stays_away_costs_nothing_and_finds_everything_again(
    alice, bob, strategy, record_commands
):
    follow(alice, bob)
    held(alice)
    result = say(bob, 16, alice)
    stay_away(strategy, alice)
    assert drop() == (1 if is_held(strategy) else 0)
    assert drop() == 0
    assert documents(strategy, alice) == 0
    result += write(bob, 1)
    with record_commands() as commands:
        deliver(result[-1:], alice)
    writes = [name for name, _ in commands if name in ("insert", "delete", "findAndModify")]
    assert writes == []
    assert len(commands) <= 2
    assert documents(strategy, alice) == 0
    assert strategies.active_strategy().lifecycle.owners_among(owners=[alice.pk]) == set()
    result += say(bob, 5, alice)
    assert read_down(alice) == result[::-1]
    assert_complete(alice, result)


def test_who_comes_by_in_time_keeps_the_inbox(alice, bob, carol, strategy):
    for reader in (alice, carol):
        follow(reader, bob)
        held(reader)
    result = say(bob, 8, alice, carol)
    stay_away(strategy, alice, carol)
    held(alice)  # back again
    assert drop() == (1 if is_held(strategy) else 0)
    assert strategies.active_strategy().lifecycle.recent_owners(limit=5) == (
        [alice.pk] if is_held(strategy) else []
    )
    assert_complete(alice, result)
    assert documents(strategy, carol) == 0


def test_who_comes_by_while_the_job_looks_around_keeps_the_inbox(alice, bob, strategy):
    follow(alice, bob)
    held(alice)
    result = say(bob, 8, alice)
    stay_away(strategy, alice)
    original = Collection.update_many

    def overtaken(*args, **kwargs):
        held(alice)
        return original(*args, **kwargs)

    with patch.object(Collection, "update_many", overtaken):
        assert drop() == 0
    assert strategies.active_strategy().lifecycle.owners_among(owners=[alice.pk]) == (
        {alice.pk} if is_held(strategy) else set()
    )
    with patch.object(warmup.posts, "ids_by_authors") as built_anew:
        assert_complete(alice, result)
    assert not built_anew.called


@MOSTLY_SLOW
def test_a_job_killed_while_it_drops_inboxes_is_finished_by_the_next(alice, bob, strategy):
    follow(alice, bob)
    held(alice)
    result = say(bob, 8, alice)
    for writes in (1, 2, 3):
        stay_away(strategy, alice)
        with killed_after(writes):
            drop()
        result += say(bob, 1, alice)
        assert drop() <= 1
        assert documents(strategy, alice) == 0
        assert_complete(alice, result)
        # And with the reader coming back before the next.
        stay_away(strategy, alice)
        with killed_after(writes):
            drop()
        assert_complete(alice, result)
        if is_held(strategy):
            assert held(alice)[1] < result[-1], "the inbox is in use again"
        result += say(bob, 1, alice)
        assert drop() == 0
        assert_complete(alice, result)
    assert read_down(alice) == result[::-1]


@MOSTLY_SLOW
def test_a_writer_killed_after_any_command_loses_and_repeats_nothing(alice, bob, strategy):
    follow(alice, bob)
    result, steps = write(bob, 8), set()
    held(alice)
    for number in range(14):
        new = write(bob, 1)
        with killed_after(number % 7 + 1) as done:  # and sealing comes at each second
            deliver(new, alice)
        steps.update(done)
        ids, floor = held(alice)
        assert {post for post in result if post > floor} <= set(ids) <= {*result, *new}
        deliver(new, alice)
        result += new
        assert_complete(alice, result)
    assert read_down(alice) == result[::-1]
    if is_held(strategy):
        assert {step.split(".")[1] for step in steps} >= {"bulk_write", "delete_many"}


def test_a_back_fill_or_building_killed_after_any_command_is_finished_by_the_next(
    alice, bob, carol, strategy
):
    follow(alice, carol)
    everything = write(carol, 24)
    for writes in (1, 2, 3, 4):
        with killed_after(writes):
            held(alice)
        assert_complete(alice, everything)
        older = write(bob, 1 + 15 * (writes % 2))
        everything += [*older, *say(carol, 1, alice)]
        with killed_after(writes):
            strategies.add_older(owner=alice.pk, activities=older[::-1], floor=0)
        strategies.add_older(owner=alice.pk, activities=older[::-1], floor=0)
        assert_complete(alice, everything)
        follow(alice, bob)
        stay_away(strategy, alice)
        drop()


@pytest.mark.slow
def test_eight_writers_to_the_same_readers_lose_and_repeat_nothing(
    alice, strategy, settings, monkeypatch
):
    use(strategy, settings, monkeypatch)
    settings.FEED_INBOX_MAX = 90
    assert_writers_lose_nothing(
        strategy, author=alice, readers=people(10), writers=8, within=8 * 9, beyond=8 * 5
    )


def test_three_writers_to_the_same_readers_lose_and_repeat_nothing(alice, strategy):
    assert_writers_lose_nothing(
        strategy, author=alice, readers=people(2), writers=3, within=3 * 3, beyond=3 * 2
    )


def assert_writers_lose_nothing(strategy, *, author, readers, writers, within, beyond):
    """``within``: posts that fit into an inbox; ``beyond``: posts after them, which do not all fit."""
    for reader in readers:
        held(reader)
    earlier = write(author, within)
    at_once(*[partial(deliver, earlier[n::writers], *readers) for n in range(writers)])
    for reader in readers:
        assert_complete(reader, earlier)
        if is_held(strategy):
            assert held(reader) == (earlier[::-1], 0)
    more = write(author, beyond)
    at_once(*[partial(deliver, more[n::writers], *readers) for n in range(writers)])
    for reader in readers:
        assert_complete(reader, [*earlier, *more])
