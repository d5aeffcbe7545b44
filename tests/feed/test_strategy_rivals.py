"""Details of the strategies ``fan_out_on_write`` and ``counted_buckets``."""

from functools import partial

import pytest
from django.db import connection

from feed.timeline.store import counted_inboxes, entry_inboxes, seal
from feed.timeline.strategies import counted_buckets, fan_out_on_write
from tests.at_once import at_once
from tests.feed.strategy_site import killed_after

READER = 7
RIVALS = {
    "fan_out_on_write": (fan_out_on_write, entry_inboxes),
    "counted_buckets": (counted_buckets, counted_inboxes),
}


@pytest.fixture
def small(settings, monkeypatch):
    settings.FEED_INBOX_MAX = 20
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)
    monkeypatch.setattr(fan_out_on_write, "FIRST_READ", 8)


@pytest.fixture
def tiny(small, settings, monkeypatch):
    settings.FEED_INBOX_MAX = 8
    monkeypatch.setattr(seal, "BUCKET_SIZE", 2)
    monkeypatch.setattr(seal, "SEAL_AT", 4)
    monkeypatch.setattr(fan_out_on_write, "FIRST_READ", 3)


def deliver(strategy, first, last, *readers):
    for activity in range(first, last + 1):
        strategy.deliver(activity=activity, recipients=list(readers or [READER]))


def buckets_of(owner):
    documents = connection.database["counted_buckets"].find({"owner": owner}).sort("seq")
    return {document["seq"]: document["ids"] for document in documents}


def counter(owner):
    return connection.database["counted_heads"].find_one({"_id": owner})


def assert_numbered(owner, size):
    """Check that no bucket number is missing and no id repeats. All buckets but the last are full."""
    ids_by_seq, count = buckets_of(owner), counter(owner)["count"]
    seqs, last = list(ids_by_seq), (count - 1) // size
    assert seqs == list(range(seqs[0], last + 1))
    assert [len(ids_by_seq[seq]) for seq in seqs] == [
        size if seq < last else count - last * size for seq in seqs
    ]
    ids = [activity for bucket_ids in ids_by_seq.values() for activity in bucket_ids]
    assert len(ids) == len(set(ids))


def assert_gapless(ids, *, down_to):
    assert ids == list(range(max(ids, default=0), down_to, -1))


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_trimming_while_reading_leaves_no_gap(tiny, monkeypatch, name, when):
    strategy, store = RIVALS[name]
    strategy.read_inbox(owner=READER)
    deliver(strategy, 1, 8)
    reading = {"fan_out_on_write": ["newest_ids", "all_ids"], "counted_buckets": ["all_ids"]}[name]
    newest_id = [8]

    def overtaken(original, **arguments):
        if when == "before":
            deliver(strategy, newest_id[0] + 1, newest_id[0] + 12)
        result = original(**arguments)
        if when == "after":
            deliver(strategy, newest_id[0] + 1, newest_id[0] + 12)
        newest_id[0] += 12
        return result

    for function in reading:
        monkeypatch.setattr(store, function, partial(overtaken, getattr(store, function)))
    contents = strategy.read_inbox(owner=READER)
    assert_gapless(
        contents.newest_ids, down_to=max(contents.newest_ids, default=0) - len(contents.newest_ids)
    )
    stored, floor = contents.read_all()
    assert floor > 0
    assert_gapless(stored, down_to=floor)


@pytest.mark.parametrize("name", RIVALS)
def test_reading_a_dropped_inbox_falls_back_to_the_authors(monkeypatch, name):
    strategy, store = RIVALS[name]
    strategy.read_inbox(owner=READER)
    deliver(strategy, 1, 20)
    reading = {"fan_out_on_write": "newest_ids", "counted_buckets": "all_ids"}[name]

    def dropped(original, **arguments):
        result = original(**arguments)
        strategy.lifecycle.drop_generations(below=2**62)
        strategy.build_inbox(owner=READER)  # the user returns and gets a new generation
        return result

    monkeypatch.setattr(store, reading, partial(dropped, getattr(store, reading)))
    contents = strategy.read_inbox(owner=READER)
    assert (contents.newest_ids, contents.read_all()[0]) == ([], [])
    assert contents.floor > 20


@pytest.mark.parametrize("name", RIVALS)
def test_writes_to_an_old_generation_are_ignored(name):
    strategy, store = RIVALS[name]
    strategy.read_inbox(owner=READER)
    old = store.lifecycle.get_head(owner=READER)
    deliver(strategy, 1, 3)
    strategy.lifecycle.drop_generations(below=2**62)
    strategy.read_inbox(owner=READER)
    store.lifecycle.finish_build(
        owner=READER, gen=old.gen, missing=[1], floor=9, now=old.build_requested_at
    )
    store.lifecycle.raise_floor(owner=READER, gen=old.gen, floor=9)
    assert strategy.read_inbox(owner=READER).read_all() == ([], 0)


def test_fan_out_on_write_delivers_with_two_commands(record_commands, monkeypatch):
    monkeypatch.setattr(fan_out_on_write, "sample", lambda among, k: [])
    readers = list(range(1, 21))
    for reader in readers:
        fan_out_on_write.build_inbox(owner=reader)
    for _ in range(2):
        with record_commands() as commands:
            deliver(fan_out_on_write, 1, 1, *readers)
        assert [name for name, _ in commands] == ["find", "insert"]
        assert connection.database["inbox_entries"].count_documents({}) == 20


def test_each_delivery_trims_a_few_inboxes(small, record_commands, monkeypatch):
    monkeypatch.setattr(fan_out_on_write, "TRIM_EVERY", 20)
    readers = list(range(1, 25))
    for reader in readers:
        fan_out_on_write.build_inbox(owner=reader)
    deliver(fan_out_on_write, 1, 24, *readers)
    trimmed = connection.database["entry_heads"].count_documents({"floor": {"$gt": 0}})
    assert 0 < trimmed <= 8
    with record_commands() as commands:
        deliver(fan_out_on_write, 25, 25, *readers)
    assert [name for name, _ in commands] == ["find", "insert", "aggregate", "update", "delete"]


def test_counted_buckets_are_full_except_the_last(tiny):
    counted_buckets.read_inbox(owner=READER)
    for activity in range(1, 18):
        deliver(counted_buckets, activity, activity)
        assert_numbered(READER, 2)
        assert len(buckets_of(READER)) <= 4
    assert counted_buckets.read_inbox(owner=READER).read_all() == (list(range(17, 10, -1)), 10)


def test_backfills_are_numbered_like_deliveries(small):
    counted_buckets.read_inbox(owner=READER)
    deliver(counted_buckets, 101, 107)
    for _ in range(2):
        counted_buckets.add_older(owner=READER, activities=[103, *range(51, 42, -1)], floor=42)
        assert_numbered(READER, 5)
    assert counter(READER)["count"] == 16
    ids = [*range(107, 100, -1), *range(51, 42, -1)]
    assert counted_buckets.read_inbox(owner=READER).read_all() == (ids, 42)


def test_an_id_in_a_bucket_of_an_old_generation_is_delivered_again():
    counted_buckets.read_inbox(owner=READER)
    old_bucket = {"owner": READER, "gen": counter(READER)["gen"] - 1, "seq": 0, "ids": [1]}
    connection.database["counted_buckets"].insert_one(old_bucket)
    deliver(counted_buckets, 1, 1)
    assert counted_buckets.read_inbox(owner=READER).read_all() == ([1], 0)


def test_the_open_bucket_is_never_dropped(small):
    counted_buckets.read_inbox(owner=READER)
    deliver(counted_buckets, 101, 110)
    deliver(counted_buckets, 1, 2)  # late posts, so the last bucket has the lowest ids
    gen = counter(READER)["gen"]
    counted_inboxes.trim_inboxes(generations={READER: gen}, max_buckets=1)
    assert buckets_of(READER) == {2: [1, 2]}
    assert counter(READER)["floor"] == 110
    deliver(counted_buckets, 111, 120)
    assert_numbered(READER, 5)
    assert counted_buckets.read_inbox(owner=READER).read_all() == (list(range(120, 110, -1)), 110)


def test_a_killed_transaction_leaves_no_count_without_entry(small):
    readers = [1, 2, 3]
    for reader in readers:
        counted_buckets.read_inbox(owner=reader)
    deliver(counted_buckets, 1, 5, *readers)
    for writes in (1, 2):
        with killed_after(writes) as executed:
            deliver(counted_buckets, 6, 6, *readers)
        assert executed == ["counted_heads.update_many", "counted_buckets.bulk_write"][:writes]
        assert [counter(reader)["count"] for reader in readers] == [5, 5, 5]
        assert list(buckets_of(1)) == [0]
    deliver(counted_buckets, 6, 6, *readers)
    assert [buckets_of(reader)[1] for reader in readers] == [[6], [6], [6]]


@pytest.mark.slow
def test_eight_concurrent_writers_fill_all_buckets_except_the_last():
    assert_writers_fill_buckets(writers=8, readers=50, activities=72, size=50)


def test_three_concurrent_writers_fill_all_buckets_except_the_last(small):
    assert_writers_fill_buckets(writers=3, readers=4, activities=12, size=5)


def assert_writers_fill_buckets(*, writers, readers, activities, size):
    owners = list(range(1, readers + 1))
    for owner in owners:
        counted_buckets.build_inbox(owner=owner)
    ids = list(range(1, activities + 1))
    at_once(*[partial(deliver_all, [*ids[n::writers], ids[n]], owners) for n in range(writers)])
    for owner in owners:
        assert_numbered(owner, size)
        assert counted_buckets.read_inbox(owner=owner).read_all() == (ids[::-1], 0)


def deliver_all(activities, readers):
    for activity in activities:
        counted_buckets.deliver(activity=activity, recipients=readers)
