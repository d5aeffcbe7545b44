"""Bucketed inboxes: nothing lost, nothing twice, whatever happens between any two steps."""

import random
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from feed.store import inboxes, sealing
from feed.store.collections import inbox_buckets, inbox_heads
from feed.store.sealing import BUCKET_SIZE, DROP_EVERY, SEAL_AT
from feed.strategies import buckets

READER = 7


def warm(owner: int = READER, ids: list[int] | None = None) -> None:
    inboxes.lives.create_head(owner=owner, gen=1, now=timezone.now())
    inboxes.lives.finish_head(owner=owner, gen=1, missing=ids or [], floor=0, now=timezone.now())


def everything(owner: int = READER) -> list[int]:
    return buckets._everything(inboxes.lives.get(owner=owner))[0]


def deliver(first: int, last: int, readers: list[int] | None = None) -> None:
    for activity in range(first, last + 1):
        buckets.deliver(activity=activity, readers=readers or [READER])


def assert_shape(owner: int = READER) -> None:
    """No bucket but of the right size; those that the head names, and few that await deletion."""
    head = inboxes.lives.get(owner=owner)
    kept = {seq: hi for hi, seq in head.kept}
    buckets_there = inbox_buckets().find({"owner": owner, "gen": head.gen})
    found = {one["seq"]: one["ids"] for one in buckets_there}
    assert kept.keys() <= found.keys()
    assert all(max(found[seq]) <= head.floor for seq in found.keys() - kept.keys())
    assert len(found) <= len(kept) + DROP_EVERY + 1
    assert all(len(ids) == BUCKET_SIZE for ids in found.values())
    assert all(max(found[seq]) == hi for seq, hi in kept.items())
    assert inbox_heads().find_one({"_id": owner})["n"] == len(head.ids) < SEAL_AT


def test_a_repeated_delivery_changes_nothing():
    warm()
    deliver(1, 3)
    deliver(1, 3)
    assert everything() == [3, 2, 1]


def test_a_reader_without_an_inbox_gets_none():
    deliver(1, 3, readers=[READER])
    assert inbox_heads().count_documents({}) == 0


@pytest.mark.parametrize("count", [99, 100, 101, 149, 150, 151])
def test_buckets_are_cut_from_full_heads(count):
    warm()
    deliver(1, count)
    assert everything() == list(range(count, 0, -1))
    assert_shape()
    sealed = 0 if count < 100 else (count - 50) // 50
    assert inbox_buckets().count_documents({}) == sealed


def test_many_ids_at_once_are_cut_into_many_buckets():
    warm(ids=list(range(1, 731)))
    buckets.seal(readers=[READER])
    assert_shape()
    assert everything() == list(range(730, 0, -1))


def test_an_inbox_never_holds_more_than_its_limit(settings):
    settings.FEED_INBOX_MAX = 300
    warm()
    for activity in range(1, 1001):
        buckets.deliver(activity=activity, readers=[READER])
        held = inbox_heads().find_one({"_id": READER})
        assert held["n"] + len(held["kept"]) * BUCKET_SIZE <= 300
    assert_shape()


def test_what_is_dropped_lies_below_the_floor_and_the_rest_above(settings):
    settings.FEED_INBOX_MAX = 300
    warm()
    deliver(1, 1000)
    head = inboxes.lives.get(owner=READER)
    assert everything() == list(range(1000, head.floor, -1))
    assert 1000 - head.floor > 300 - SEAL_AT


def test_the_bucket_with_the_lowest_highest_id_is_dropped_first(settings):
    settings.FEED_INBOX_MAX = 200  # two buckets beside the head
    warm()
    deliver(1001, 1100)
    # A back-fill: old ids arrive late, and so lie in a later bucket.
    inboxes.append_missing(owner=READER, gen=1, ids=list(range(1, 51)), floor=0)
    buckets.seal(readers=[READER])
    deliver(1101, 1150)
    assert [hi for hi, _ in inboxes.lives.get(owner=READER).kept] == [1100, 1050]
    # Three were sealed by now: the last of them, with the late old ids (hi 50), went first.
    assert inboxes.lives.get(owner=READER).seq == 3
    assert inboxes.lives.get(owner=READER).floor == 50
    assert everything() == list(range(1150, 1000, -1))
    assert_shape()


def test_the_floor_never_falls():
    warm()
    inboxes.append_missing(owner=READER, gen=1, ids=[], floor=500)
    inboxes.append_missing(owner=READER, gen=1, ids=[400, 600], floor=100)
    assert inboxes.lives.get(owner=READER).floor == 500
    assert everything() == [600]


def test_ids_that_arrive_out_of_order_are_read_in_order():
    warm()
    arrival = list(range(1, 401))
    random.Random(1).shuffle(arrival)
    for activity in arrival:
        buckets.deliver(activity=activity, readers=[READER])
    assert everything() == list(range(400, 0, -1))
    assert_shape()


def test_the_newest_of_a_head_are_those_above_everything_sealed():
    warm()
    deliver(1001, 1100)
    deliver(1, 30)  # late
    answer = buckets.entries(reader=READER)
    assert answer.newest == list(range(1100, 1050, -1))
    assert answer.everything()[0] == [*range(1100, 1000, -1), *range(30, 0, -1)]


@pytest.mark.parametrize("step", ["after the copy", "after the trim"])
def test_a_crash_in_the_middle_of_sealing_loses_nothing_and_repeats_nothing(
    step, settings, monkeypatch
):
    settings.FEED_INBOX_MAX = 200
    warm()
    deliver(1, 199)
    with monkeypatch.context() as crash:

        def die(*_):
            raise KeyboardInterrupt

        victim = "_trim" if step == "after the copy" else "_delete_dropped"
        crash.setattr(sealing, victim, die)
        with pytest.raises(KeyboardInterrupt):
            deliver(200, 200)
    floor = inboxes.lives.get(owner=READER).floor
    assert everything() == list(range(200, floor, -1))
    deliver(200, 300)
    floor = inboxes.lives.get(owner=READER).floor
    assert everything() == list(range(300, floor, -1))
    assert_shape()


def test_of_two_who_seal_the_same_head_one_wins_and_nothing_is_lost():
    warm()
    for activity in range(1, 121):
        inboxes.push(owners=[READER], activity=activity)
    first = sealing.full_heads(owners=[READER])
    for activity in range(121, 161):
        inboxes.push(owners=[READER], activity=activity)
    second = sealing.full_heads(owners=[READER])
    sealing.seal(heads=second, keep=18)
    sealing.seal(heads=first, keep=18)
    assert everything() == list(range(160, 0, -1))
    assert_shape()


def test_who_seals_too_late_deletes_no_bucket_of_others():
    warm()
    deliver(1, 99)
    inboxes.push(owners=[READER], activity=100)
    late = sealing.full_heads(owners=[READER])
    deliver(101, 400)
    sealing.seal(heads=late, keep=1)  # by a process with another limit
    assert everything() == list(range(400, 0, -1))


def test_a_reader_who_misses_a_dropped_bucket_reads_the_head_again(settings):
    settings.FEED_INBOX_MAX = 200
    warm()
    deliver(1, 199)
    answer = buckets.entries(reader=READER)
    deliver(200, 400)  # drops what the answer's head still names
    held, floor = answer.everything()
    assert held == list(range(400, floor, -1))


def test_an_unbuilt_head_takes_deliveries_but_is_not_sealed():
    inboxes.lives.create_head(owner=READER, gen=1, now=timezone.now())
    deliver(1, 150)
    assert inbox_buckets().count_documents({}) == 0
    inboxes.lives.finish_head(
        owner=READER, gen=1, missing=list(range(-10, 0)), floor=0, now=timezone.now()
    )
    buckets.seal(readers=[READER])
    assert_shape()
    head = inboxes.lives.get(owner=READER)
    assert set(range(1, 151)) <= set(everything())
    assert head.built_at is not None


def test_an_inbox_is_finished_once_and_only_in_its_own_generation():
    inboxes.lives.create_head(owner=READER, gen=1, now=timezone.now())
    now = timezone.now()
    assert not inboxes.lives.finish_head(owner=READER, gen=2, missing=[1], floor=0, now=now)
    assert inboxes.lives.finish_head(owner=READER, gen=1, missing=[1], floor=0, now=now)
    assert not inboxes.lives.finish_head(owner=READER, gen=1, missing=[2], floor=0, now=now)
    assert everything() == [1]


def test_eight_writers_to_fifty_readers_leave_full_buckets_and_every_entry_once():
    readers = list(range(1, 51))
    for reader in readers:
        warm(owner=reader)
    failures = []

    def work(writer: int) -> None:
        try:
            for number in range(40):
                buckets.deliver(activity=number * 8 + writer + 1, readers=readers)
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for reader in readers:
        buckets.seal(readers=[reader])
        assert everything(owner=reader) == list(range(320, 0, -1))
        assert_shape(owner=reader)


def test_reading_stamps_when_the_reader_was_seen_at_most_once_an_hour(alice, record_commands):
    buckets.entries(reader=alice.pk)
    seen = last_seen(alice)
    with record_commands() as commands:
        buckets.entries(reader=alice.pk)
    assert [name for name, _ in commands] == ["findAndModify"]
    assert last_seen(alice) == seen
    inbox_heads().update_one({"_id": alice.pk}, {"$set": {"last_seen": seen - timedelta(hours=2)}})
    with record_commands() as commands:
        buckets.entries(reader=alice.pk)
    assert len(commands) == 1
    assert last_seen(alice) >= seen


def last_seen(reader):
    return inbox_heads().find_one({"_id": reader.pk})["last_seen"]
