"""The contract of all strategies while inboxes are built and dropped and writers are killed."""

from functools import partial
from unittest.mock import patch

import pytest
from pymongo.collection import Collection

from feed.store import posts
from feed.timeline import strategies
from feed.timeline.strategies import warmup
from tests.at_once import at_once
from tests.factories import follow, people
from tests.feed.strategy_site import (
    EVERY_STRATEGY,
    assert_complete,
    deliver,
    document_count,
    drop_dormant_inboxes,
    killed_after,
    read_down,
    stay_away,
    stored_inbox,
    stores_inboxes,
    use,
    use_tiny,
    write,
    write_and_deliver,
)


@pytest.fixture(params=EVERY_STRATEGY)
def strategy(request, settings, monkeypatch):
    use_tiny(request.param, settings, monkeypatch)
    return request.param


def test_deliveries_while_an_inbox_is_built_are_kept(alice, bob, strategy, monkeypatch):
    follow(alice, bob)
    expected_ids = write(bob, 30)
    original = posts.ids_by_authors

    def overtaken(**arguments):
        read_ids = original(**arguments)
        # The query above cannot return these posts, so the build must keep their deliveries.
        at_once(lambda: expected_ids.extend(write_and_deliver(bob, 4, alice)))
        return read_ids

    monkeypatch.setattr(warmup.posts, "ids_by_authors", overtaken)
    stored_inbox(alice)
    monkeypatch.setattr(warmup.posts, "ids_by_authors", original)
    expected_ids += write_and_deliver(bob, 3, alice)
    assert_complete(alice, expected_ids)
    assert read_down(alice) == expected_ids[::-1]


def test_a_concurrently_built_inbox_is_complete(alice, bob, strategy):
    follow(alice, bob)
    post_ids = write(bob, 12)
    for _ in range(3):
        at_once(
            *[lambda: stored_inbox(alice)] * 3,
            lambda: post_ids.extend(write_and_deliver(bob, 3, alice)),
        )
        assert_complete(alice, post_ids)
        stay_away(strategy, alice)
        at_once(drop_dormant_inboxes, lambda: post_ids.extend(write_and_deliver(bob, 2, alice)))
    assert read_down(alice) == post_ids[::-1]


def test_a_dormant_user_costs_nothing_and_finds_all_posts_later(
    alice, bob, strategy, record_commands
):
    follow(alice, bob)
    stored_inbox(alice)
    post_ids = write_and_deliver(bob, 16, alice)
    stay_away(strategy, alice)
    assert drop_dormant_inboxes() == (1 if stores_inboxes(strategy) else 0)
    assert drop_dormant_inboxes() == 0
    assert document_count(strategy, alice) == 0
    post_ids += write(bob, 1)
    with record_commands() as commands:
        deliver(post_ids[-1:], alice)
    writes = [name for name, _ in commands if name in ("insert", "delete", "findAndModify")]
    assert writes == []
    assert len(commands) <= 2
    assert document_count(strategy, alice) == 0
    assert strategies.active_strategy().lifecycle.owners_among(owners=[alice.pk]) == set()
    post_ids += write_and_deliver(bob, 5, alice)
    assert read_down(alice) == post_ids[::-1]
    assert_complete(alice, post_ids)


def test_a_user_who_returns_in_time_keeps_the_inbox(alice, bob, carol, strategy):
    for reader in (alice, carol):
        follow(reader, bob)
        stored_inbox(reader)
    post_ids = write_and_deliver(bob, 8, alice, carol)
    stay_away(strategy, alice, carol)
    stored_inbox(alice)  # alice returns before the job that drops dormant inboxes
    assert drop_dormant_inboxes() == (1 if stores_inboxes(strategy) else 0)
    assert strategies.active_strategy().lifecycle.recent_owners(limit=5) == (
        [alice.pk] if stores_inboxes(strategy) else []
    )
    assert_complete(alice, post_ids)
    assert document_count(strategy, carol) == 0


def test_a_user_who_returns_during_the_job_keeps_the_inbox(alice, bob, strategy):
    follow(alice, bob)
    stored_inbox(alice)
    post_ids = write_and_deliver(bob, 8, alice)
    stay_away(strategy, alice)
    original = Collection.update_many

    def overtaken(*args, **kwargs):
        stored_inbox(alice)
        return original(*args, **kwargs)

    with patch.object(Collection, "update_many", overtaken):
        assert drop_dormant_inboxes() == 0
    assert strategies.active_strategy().lifecycle.owners_among(owners=[alice.pk]) == (
        {alice.pk} if stores_inboxes(strategy) else set()
    )
    with patch.object(warmup.posts, "ids_by_authors") as rebuild:
        assert_complete(alice, post_ids)
    assert not rebuild.called


def test_the_next_job_finishes_a_killed_job(alice, bob, strategy):
    follow(alice, bob)
    stored_inbox(alice)
    post_ids = write_and_deliver(bob, 8, alice)
    for writes in (1, 2, 3):
        stay_away(strategy, alice)
        with killed_after(writes):
            drop_dormant_inboxes()
        post_ids += write_and_deliver(bob, 1, alice)
        assert drop_dormant_inboxes() <= 1
        assert document_count(strategy, alice) == 0
        assert_complete(alice, post_ids)
        # Drop again, but let the user return before the next job.
        stay_away(strategy, alice)
        with killed_after(writes):
            drop_dormant_inboxes()
        assert_complete(alice, post_ids)
        if stores_inboxes(strategy):
            assert stored_inbox(alice)[1] < post_ids[-1], "the inbox is in use again"
        post_ids += write_and_deliver(bob, 1, alice)
        assert drop_dormant_inboxes() == 0
        assert_complete(alice, post_ids)
    assert read_down(alice) == post_ids[::-1]


def test_a_killed_writer_loses_and_repeats_nothing(alice, bob, strategy):
    follow(alice, bob)
    post_ids, steps = write(bob, 8), set()
    stored_inbox(alice)
    for number in range(14):
        new_ids = write(bob, 1)
        with killed_after(number % 7 + 1) as executed:  # every second delivery also seals a bucket
            deliver(new_ids, alice)
        steps.update(executed)
        ids, floor = stored_inbox(alice)
        assert (
            {post_id for post_id in post_ids if post_id > floor}
            <= set(ids)
            <= {*post_ids, *new_ids}
        )
        deliver(new_ids, alice)
        post_ids += new_ids
        assert_complete(alice, post_ids)
    assert read_down(alice) == post_ids[::-1]
    if stores_inboxes(strategy):
        assert {step.split(".")[1] for step in steps} >= {"bulk_write", "delete_many"}


def test_the_next_run_finishes_a_killed_backfill_or_build(alice, bob, carol, strategy):
    follow(alice, carol)
    everything = write(carol, 24)
    for writes in (1, 2, 3, 4):
        with killed_after(writes):
            stored_inbox(alice)
        assert_complete(alice, everything)
        older = write(bob, 1 + 15 * (writes % 2))
        everything += [*older, *write_and_deliver(carol, 1, alice)]
        with killed_after(writes):
            strategies.add_older(owner=alice.pk, activities=older[::-1], floor=0)
        strategies.add_older(owner=alice.pk, activities=older[::-1], floor=0)
        assert_complete(alice, everything)
        follow(alice, bob)
        stay_away(strategy, alice)
        drop_dormant_inboxes()


@pytest.mark.slow
def test_eight_concurrent_writers_lose_and_repeat_nothing(alice, strategy, settings, monkeypatch):
    use(strategy, settings, monkeypatch)
    settings.FEED_INBOX_MAX = 90
    assert_writers_lose_nothing(
        strategy, author=alice, readers=people(10), writers=8, within=8 * 9, beyond=8 * 5
    )


def test_three_concurrent_writers_lose_and_repeat_nothing(alice, strategy):
    assert_writers_lose_nothing(
        strategy, author=alice, readers=people(2), writers=3, within=3 * 3, beyond=3 * 2
    )


def assert_writers_lose_nothing(strategy, *, author, readers, writers, within, beyond):
    """Deliver concurrently and check all inboxes.

    Args:
        within: number of posts in the first round, which all fit into an inbox.
        beyond: number of posts in the second round, which overfill the inbox.
    """
    for reader in readers:
        stored_inbox(reader)
    earlier = write(author, within)
    at_once(*[partial(deliver, earlier[n::writers], *readers) for n in range(writers)])
    for reader in readers:
        assert_complete(reader, earlier)
        if stores_inboxes(strategy):
            assert stored_inbox(reader) == (earlier[::-1], 0)
    more = write(author, beyond)
    at_once(*[partial(deliver, more[n::writers], *readers) for n in range(writers)])
    for reader in readers:
        assert_complete(reader, [*earlier, *more])
