"""Bucketed inboxes: no lost and no repeated entries, even after a crash between two steps."""

import random
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from feed.store.collections import inbox_buckets, inbox_heads
from feed.timeline.store import inboxes, seal
from feed.timeline.strategies import buckets

READER = 7


@pytest.fixture
def small_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make buckets so small that a few ids cause buckets to be sealed and dropped."""
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)


def create_inbox(owner: int = READER, ids: list[int] | None = None) -> None:
    inboxes.lifecycle.create_head(owner=owner, gen=1, now=timezone.now())
    inboxes.lifecycle.finish_build(
        owner=owner, gen=1, missing=ids or [], floor=0, now=timezone.now()
    )


def stored_ids(owner: int = READER) -> list[int]:
    return buckets._read_all(inboxes.lifecycle.get_head(owner=owner))[0]


def deliver(first: int, last: int, readers: list[int] | None = None) -> None:
    for activity in range(first, last + 1):
        buckets.deliver(activity=activity, recipients=readers or [READER])


def assert_shape(owner: int = READER) -> None:
    """Check that all buckets are full, and that the head lists all buckets that are not dropped."""
    head = inboxes.lifecycle.get_head(owner=owner)
    highest_by_seq = {seq: hi for hi, seq in head.buckets}
    buckets_there = inbox_buckets().find({"owner": owner, "gen": head.gen})
    ids_by_seq = {document["seq"]: document["ids"] for document in buckets_there}
    assert highest_by_seq.keys() <= ids_by_seq.keys()
    assert all(
        max(ids_by_seq[seq]) <= head.floor for seq in ids_by_seq.keys() - highest_by_seq.keys()
    )
    assert len(ids_by_seq) <= len(highest_by_seq) + seal.DELETE_EVERY + 1
    assert all(len(ids) == seal.BUCKET_SIZE for ids in ids_by_seq.values())
    assert all(max(ids_by_seq[seq]) == hi for seq, hi in highest_by_seq.items())
    assert inbox_heads().find_one({"_id": owner})["n"] == len(head.ids) < seal.SEAL_AT


def test_a_repeated_delivery_changes_nothing():
    create_inbox()
    deliver(1, 3)
    deliver(1, 3)
    assert stored_ids() == [3, 2, 1]


def test_delivery_does_not_create_inboxes():
    deliver(1, 3, readers=[READER])
    assert inbox_heads().count_documents({}) == 0


@pytest.mark.parametrize("count", [9, 10, 11, 14, 15, 16])
def test_full_heads_are_sealed_into_buckets(count, small_buckets):
    create_inbox()
    deliver(1, count)
    assert stored_ids() == list(range(count, 0, -1))
    assert_shape()
    sealed = 0 if count < 10 else (count - 5) // 5
    assert inbox_buckets().count_documents({}) == sealed


def test_many_ids_are_sealed_into_many_buckets():
    create_inbox(ids=list(range(1, 731)))
    buckets.seal(owners=[READER])
    assert_shape()
    assert stored_ids() == list(range(730, 0, -1))


def test_an_inbox_never_holds_more_than_its_limit(settings, small_buckets):
    settings.FEED_INBOX_MAX = 30
    create_inbox()
    for activity in range(1, 61):
        buckets.deliver(activity=activity, recipients=[READER])
        document = inbox_heads().find_one({"_id": READER})
        assert document["n"] + len(document["buckets"]) * seal.BUCKET_SIZE <= 30
    assert_shape()


def test_dropped_ids_are_below_the_floor(settings, small_buckets):
    settings.FEED_INBOX_MAX = 30
    create_inbox()
    deliver(1, 75)
    head = inboxes.lifecycle.get_head(owner=READER)
    assert head.floor > 0
    assert stored_ids() == list(range(75, head.floor, -1))
    assert 75 - head.floor > 30 - seal.SEAL_AT


def test_the_bucket_with_the_lowest_highest_id_is_dropped_first(settings, small_buckets):
    settings.FEED_INBOX_MAX = 20  # room for the head and two buckets
    create_inbox()
    deliver(101, 110)
    # A backfill adds old ids late, so the third bucket has the lowest ids.
    inboxes.append_missing(owner=READER, gen=1, ids=list(range(1, 6)), floor=0)
    buckets.seal(owners=[READER])
    deliver(111, 115)
    assert [hi for hi, _ in inboxes.lifecycle.get_head(owner=READER).buckets] == [110, 105]
    # Three buckets were sealed. The third bucket, with the ids up to 5, was dropped.
    assert inboxes.lifecycle.get_head(owner=READER).seq == 3
    assert inboxes.lifecycle.get_head(owner=READER).floor == 5
    assert stored_ids() == list(range(115, 100, -1))
    assert_shape()


def test_the_floor_never_falls():
    create_inbox()
    inboxes.append_missing(owner=READER, gen=1, ids=[], floor=500)
    inboxes.append_missing(owner=READER, gen=1, ids=[400, 600], floor=100)
    assert inboxes.lifecycle.get_head(owner=READER).floor == 500
    assert stored_ids() == [600]


def test_ids_that_arrive_out_of_order_are_read_in_order(small_buckets):
    create_inbox()
    arrival = list(range(1, 61))
    random.Random(1).shuffle(arrival)
    for activity in arrival:
        buckets.deliver(activity=activity, recipients=[READER])
    assert stored_ids() == list(range(60, 0, -1))
    assert_shape()


def test_the_newest_ids_of_a_head_are_above_all_sealed_ids(small_buckets):
    create_inbox()
    deliver(101, 110)
    deliver(1, 3)  # late posts
    contents = buckets.read_inbox(owner=READER)
    assert contents.newest_ids == list(range(110, 105, -1))
    assert contents.read_all()[0] == [*range(110, 100, -1), *range(3, 0, -1)]


@pytest.mark.parametrize("step", ["after the copy", "after the trim"])
def test_a_crash_while_sealing_loses_and_repeats_nothing(
    step, settings, monkeypatch, small_buckets
):
    settings.FEED_INBOX_MAX = 20
    create_inbox()
    deliver(1, 19)
    with monkeypatch.context() as crash:

        def die(*_):
            raise KeyboardInterrupt

        victim = "_trim_pipeline" if step == "after the copy" else "_delete_dropped"
        crash.setattr(seal, victim, die)
        with pytest.raises(KeyboardInterrupt):
            deliver(20, 20)
    floor = inboxes.lifecycle.get_head(owner=READER).floor
    assert stored_ids() == list(range(20, floor, -1))
    deliver(20, 30)
    floor = inboxes.lifecycle.get_head(owner=READER).floor
    assert stored_ids() == list(range(30, floor, -1))
    assert_shape()


def test_concurrent_sealing_of_a_head_loses_nothing():
    create_inbox()
    for activity in range(1, 121):
        inboxes.push_entry(owners=[READER], activity=activity)
    first = seal.full_heads(owners=[READER])
    for activity in range(121, 161):
        inboxes.push_entry(owners=[READER], activity=activity)
    second = seal.full_heads(owners=[READER])
    seal.seal_heads(heads=second, max_buckets=18)
    seal.seal_heads(heads=first, max_buckets=18)
    assert stored_ids() == list(range(160, 0, -1))
    assert_shape()


def test_a_late_seal_deletes_no_buckets_of_other_processes(small_buckets):
    create_inbox()
    deliver(1, 9)
    inboxes.push_entry(owners=[READER], activity=10)
    late = seal.full_heads(owners=[READER])
    deliver(11, 40)
    seal.seal_heads(heads=late, max_buckets=1)  # outdated heads, and a limit below the default
    assert stored_ids() == list(range(40, 0, -1))


def test_the_head_is_read_again_if_a_bucket_was_dropped(settings, small_buckets):
    settings.FEED_INBOX_MAX = 20
    create_inbox()
    deliver(1, 19)
    contents = buckets.read_inbox(owner=READER)
    deliver(20, 40)  # drops buckets that ``contents`` still lists
    stored, floor = contents.read_all()
    assert stored == list(range(40, floor, -1))


def test_an_unbuilt_head_accepts_deliveries_but_is_not_sealed(small_buckets):
    inboxes.lifecycle.create_head(owner=READER, gen=1, now=timezone.now())
    deliver(1, 15)
    assert inbox_buckets().count_documents({}) == 0
    inboxes.lifecycle.finish_build(
        owner=READER, gen=1, missing=list(range(-10, 0)), floor=0, now=timezone.now()
    )
    buckets.seal(owners=[READER])
    assert_shape()
    head = inboxes.lifecycle.get_head(owner=READER)
    assert set(range(1, 16)) <= set(stored_ids())
    assert head.built_at is not None


def test_an_inbox_is_finished_once_and_only_in_its_own_generation():
    inboxes.lifecycle.create_head(owner=READER, gen=1, now=timezone.now())
    now = timezone.now()
    inboxes.lifecycle.finish_build(owner=READER, gen=2, missing=[1], floor=0, now=now)
    assert stored_ids() == []
    inboxes.lifecycle.finish_build(owner=READER, gen=1, missing=[1], floor=0, now=now)
    assert stored_ids() == [1]
    inboxes.lifecycle.finish_build(owner=READER, gen=1, missing=[2], floor=0, now=now)
    assert stored_ids() == [1]


@pytest.mark.slow
def test_eight_writers_to_fifty_readers_leave_full_buckets_and_every_entry_once():
    assert_every_entry_once(writers=8, readers=50, deliveries_per_writer=40)


def test_three_concurrent_writers_leave_full_buckets_and_every_entry_once(small_buckets):
    assert_every_entry_once(writers=3, readers=3, deliveries_per_writer=12)


def assert_every_entry_once(*, writers: int, readers: int, deliveries_per_writer: int) -> None:
    """Deliver to all readers from several threads, then check that no inbox lost or repeats an id."""
    owners = list(range(1, readers + 1))
    for reader in owners:
        create_inbox(owner=reader)
    failures = []

    def work(writer: int) -> None:
        try:
            for number in range(deliveries_per_writer):
                buckets.deliver(activity=number * writers + writer + 1, recipients=owners)
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for reader in owners:
        buckets.seal(owners=[reader])
        assert stored_ids(owner=reader) == list(range(writers * deliveries_per_writer, 0, -1))
        assert_shape(owner=reader)


def test_reading_updates_last_seen_at_most_once_an_hour(alice, record_commands):
    buckets.read_inbox(owner=alice.pk)
    seen = last_seen(alice)
    with record_commands() as commands:
        buckets.read_inbox(owner=alice.pk)
    assert [name for name, _ in commands] == ["aggregate"]
    assert last_seen(alice) == seen
    inbox_heads().update_one({"_id": alice.pk}, {"$set": {"last_seen": seen - timedelta(hours=2)}})
    with record_commands() as commands:
        buckets.read_inbox(owner=alice.pk)
    assert [name for name, _ in commands] == ["aggregate", "findAndModify"]
    assert last_seen(alice) >= seen


def last_seen(reader):
    return inbox_heads().find_one({"_id": reader.pk})["last_seen"]
