"""Delivery to audience buckets, in the request or by parallel workers."""

import threading

import pytest
from django.db import connection
from django.utils import timezone

from accounts.infra.ids import new_id
from feed import tasks
from feed.models import Post
from feed.store.collections import inbox_heads, posts
from feed.timeline import delivery, strategies
from feed.timeline.store import deliveries, inboxes, seal
from feed.timeline.strategies import buckets
from tests.factories import follow, people, publish
from tests.feed.audiences import (
    document,
    is_in_inbox,
    make_audience,
    state,
    stored_ids,
    times_delivered,
)
from tests.feed.workers import work


def test_delivery_to_warm_readers_is_one_command_per_bucket(alice, settings, record_commands):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 10_000
    make_audience(alice, 3000)
    with record_commands() as commands:
        post_id = publish(alice)
    pushes = [
        command
        for name, command in commands
        if name == "update" and command["update"] == "inbox_heads"
    ]
    assert len(pushes) == 3
    assert all(len(push["updates"]) == 1 and push["updates"][0]["multi"] for push in pushes)
    assert times_delivered(post_id) == {1: 3000}
    assert state(post_id)[0] == "done"


def test_a_small_audience_is_delivered_in_the_request(alice, bob, settings):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 1
    follow(bob, alice)
    strategies.active_strategy().read_inbox(owner=bob.pk)
    post_id = publish(alice)
    assert state(post_id)[0] == "done"
    assert is_in_inbox(bob.pk, post_id)


def test_a_worker_delivers_to_a_large_audience_but_the_author_sees_the_post_at_once(
    alice, for_workers, asked
):
    for fan in people(2):
        follow(fan, alice)
    strategies.active_strategy().read_inbox(owner=alice.pk)
    post_id = publish(alice)
    assert state(post_id) == ("pending", 0)
    assert is_in_inbox(alice.pk, post_id)
    assert asked == [("deliver_priority", {"post_id": post_id})]


def test_publishing_succeeds_without_a_broker(alice, for_workers, monkeypatch):
    make_audience(alice, 20)

    def refuse(**_):
        raise ConnectionError("no broker")

    monkeypatch.setattr(tasks.deliver_priority, "apply_async", refuse)
    post_id = publish(alice)
    assert state(post_id) == ("pending", 0)


@pytest.mark.parametrize(
    ("end", "count", "expected"),
    [(0, 16, [0]), (1, 16, [0]), (3, 16, [0, 1, 2]), (31, 4, [0, 7, 15, 23])],
)
def test_an_audience_is_split_into_ranges_of_similar_size(end, count, expected, monkeypatch):
    monkeypatch.setattr("feed.timeline.store.deliveries.MAX_PARTS", count)
    parts = deliveries.initial_parts(bucket_count=end)
    assert [part["next"] for part in parts] == expected
    # The ranges of buckets have no gaps. The last range has no end, because new buckets may be added.
    assert [part["end"] for part in parts] == [*expected[1:], deliveries.OPEN_END]


def test_parts_are_delivered_in_any_order_and_the_last_one_finishes(
    alice, for_workers, asked, monkeypatch
):
    monkeypatch.setattr("feed.timeline.store.deliveries.MAX_PARTS", 3)
    monkeypatch.setattr("feed.timeline.delivery.PRIORITY_RECIPIENTS", 0)
    make_audience(alice, 70, per_bucket=10)
    post_id = publish(alice)
    work([asked.pop()])
    parts = [arguments for name, arguments in asked if name == "deliver_part"]
    assert [part["part_number"] for part in parts] == [0, 1, 2]
    reached = []
    for arguments in reversed(parts):
        assert state(post_id)[0] == "pending"
        tasks.deliver_part(**arguments)
        reached.append(state(post_id)[1])
    assert reached == [30, 50, 70]
    assert state(post_id) == ("done", 70)
    assert times_delivered(post_id) == {1: 70}


def test_a_concurrent_follower_in_a_new_bucket_receives_the_post(alice, for_workers, asked):
    make_audience(alice, 20, per_bucket=10)
    post_id = publish(alice)
    inbox = inbox_heads().find_one({"_id": 1})
    inbox_heads().insert_one({**inbox, "_id": 999})
    connection.database["audience_buckets"].insert_one(
        {"author": alice.pk, "seq": 2, "uids": [999], "n": 1}
    )
    work(asked)
    assert is_in_inbox(999, post_id)


def test_the_first_part_delivers_to_the_author_if_all_followers_have_left(
    alice, for_workers, asked
):
    make_audience(alice, 20, per_bucket=10)
    strategies.active_strategy().read_inbox(owner=alice.pk)
    post_id = publish(alice)
    # The web process was killed before it delivered to the author.
    inbox_heads().update_one({"_id": alice.pk}, {"$pull": {"ids": post_id}})
    assert not is_in_inbox(alice.pk, post_id)
    connection.database["audience_buckets"].delete_many({"author": alice.pk})
    work(asked)
    assert is_in_inbox(alice.pk, post_id)
    assert state(post_id)[0] == "done"


def test_repeated_and_concurrent_parts_count_each_reader_once(
    alice, for_workers, asked, monkeypatch
):
    monkeypatch.setattr("feed.timeline.store.deliveries.MAX_PARTS", 2)
    make_audience(alice, 40, per_bucket=10)
    post_id = publish(alice)
    twin = {"post_id": post_id, "part_number": 0}
    original, is_first = strategies.deliver, [True]

    def overtaken(*, activity, recipients, threads=1):
        original(activity=activity, recipients=recipients)
        if is_first.pop() if is_first else False:
            tasks.deliver_part(**twin)  # another worker delivers the whole part meanwhile

    monkeypatch.setattr(strategies, "deliver", overtaken)
    tasks.deliver_part(**twin)
    assert state(post_id) == ("pending", 20)
    for _ in range(2):
        tasks.deliver_part(post_id=post_id, part_number=1)
    assert state(post_id) == ("done", 40)
    assert times_delivered(post_id) == {1: 40}


def test_a_part_resumes_at_the_bucket_where_it_stopped(alice, for_workers, monkeypatch, asked):
    make_audience(alice, 40, per_bucket=10)
    post_id = publish(alice)
    posts().update_one(
        {"_id": post_id}, {"$set": {"delivery_parts": deliveries.initial_parts(bucket_count=1)}}
    )
    delivered = []
    original = strategies.deliver

    def stop_at_third(*, activity, recipients, threads=1):
        if len(delivered) == 2:
            raise KeyboardInterrupt
        delivered.append(recipients)
        original(activity=activity, recipients=recipients)

    with monkeypatch.context() as stopping:
        stopping.setattr(strategies, "deliver", stop_at_third)
        with pytest.raises(KeyboardInterrupt):
            tasks.deliver_part(post_id=post_id, part_number=0)
    assert state(post_id) == ("pending", 20)
    assert document(post_id)["delivery_attempts"] == 0, "to be killed is no failure"
    monkeypatch.setattr(strategies, "deliver", lambda **call: delivered.append(call["recipients"]))
    tasks.deliver_part(post_id=post_id, part_number=0)
    assert [len(readers) for readers in delivered] == [11, 10, 10, 10]
    assert state(post_id) == ("done", 40)


@pytest.mark.parametrize("part", [-1, 16, 2**40])
def test_an_unknown_part_is_ignored(alice, for_workers, asked, part):
    make_audience(alice, 20, per_bucket=1)
    post_id = publish(alice)
    tasks.deliver_part(post_id=post_id, part_number=part)
    tasks.deliver_part(post_id=404, part_number=0)
    assert state(post_id) == ("pending", 0)


@pytest.fixture
def pushes(monkeypatch):
    """Collect ``(thread, owners)`` of each push, in the order of the ends of the pushes."""
    push_entry, results = inboxes.push_entry, []

    def record(*, owners, activity):
        push_entry(owners=owners, activity=activity)
        results.append((threading.get_ident(), owners))

    monkeypatch.setattr(inboxes, "push_entry", record)
    return results


@pytest.fixture
def two_halves(settings, monkeypatch):
    """Let two threads deliver to audiences of two or more users."""
    monkeypatch.setattr("feed.timeline.strategies.DELIVERY_THREADS", 2)
    monkeypatch.setattr(strategies, "MIN_OWNERS_PER_THREAD", 1)


@pytest.mark.parametrize("strategy", ["buckets", "fan_out_on_write", "counted_buckets"])
def test_threads_deliver_to_disjoint_halves(settings, strategy, two_halves):
    settings.FEED_STRATEGY = strategy
    readers = people(9)
    for reader in readers:
        strategies.active_strategy().read_inbox(owner=reader.pk)
    for _ in range(2):
        strategies.deliver_in_threads(activity=5, recipients=[reader.pk for reader in readers])
    for reader in readers:
        assert strategies.active_strategy().read_inbox(owner=reader.pk).newest_ids == [5]


@pytest.mark.parametrize(("threads", "sizes"), [(1, [50]), (2, [25, 25]), (3, [16, 17, 17])])
def test_recipients_are_divided_among_threads(alice, monkeypatch, pushes, threads, sizes):
    monkeypatch.setattr("feed.timeline.strategies.DELIVERY_THREADS", threads)
    monkeypatch.setattr(strategies, "MIN_OWNERS_PER_THREAD", 10)
    make_audience(alice, 50)
    strategies.deliver_in_threads(activity=new_id(), recipients=list(range(50, 0, -1)))
    assert sorted(len(owners) for _, owners in pushes) == sizes
    assert sorted(uid for _, owners in pushes for uid in owners) == list(range(1, 51))


def test_few_recipients_need_no_thread(pushes, monkeypatch):
    monkeypatch.setattr("feed.timeline.strategies.DELIVERY_THREADS", 8)
    strategies.deliver_in_threads(activity=1, recipients=list(range(499)))
    assert pushes == [(threading.get_ident(), list(range(499)))]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("readers", [10, 1000])
def test_some_deliveries_look_for_full_heads(monkeypatch, readers, threads):
    """All threads of a delivery seal, or none, so that they take equally long."""
    numbers = iter(range(16))
    monkeypatch.setattr(buckets, "PROBE_INTERVAL", 8)
    monkeypatch.setattr(buckets, "randrange", lambda end: next(numbers) % end)
    seals = []
    monkeypatch.setattr(buckets, "seal", lambda *, owners: seals.append(len(owners)))
    for activity in range(16):
        buckets.deliver(activity=activity, recipients=list(range(readers)), threads=threads)
    assert seals == [readers // threads] * threads * 2


def fail_for(monkeypatch, *, uid, module, function, error, completed=0):
    """Let a function of a store fail once if ``uid`` is among the owners or heads of the call.

    ``completed``: whether the function does its work before it fails.
    """
    original, errors = getattr(module, function), [error]

    def fail(**arguments):
        owners = arguments.get("owners") or [head.owner for head in arguments["heads"]]
        if uid in owners and errors:
            if completed:
                original(**arguments)
            raise errors.pop()
        return original(**arguments)

    monkeypatch.setattr(module, function, fail)


FULL_HEAD = list(range(1, 100))


PLACES = [(inboxes, "push_entry"), (seal, "full_heads"), (seal, "seal_heads")]
FAST_WAYS = [(1, True, KeyboardInterrupt), (40, False, RuntimeError)]
WAYS = [
    *FAST_WAYS,
    (1, False, RuntimeError),
    (40, False, KeyboardInterrupt),
    (40, True, RuntimeError),
]
"""Each two of these three values occur together."""


@pytest.mark.parametrize(
    ("uid", "completed", "error"),
    [pytest.param(*way, marks=() if way in FAST_WAYS else pytest.mark.slow) for way in WAYS],
)
@pytest.mark.parametrize(("module", "function"), PLACES)
def test_if_one_half_fails_the_other_half_is_delivered_and_the_part_is_repeated(
    alice, for_workers, asked, two_halves, monkeypatch, module, function, uid, completed, error
):
    """A full head of both halves is sealed by this delivery. ``KeyboardInterrupt`` stands for a kill."""
    make_audience(alice, 40)
    inbox_heads().update_many({}, {"$set": {"ids": FULL_HEAD, "n": len(FULL_HEAD)}})
    post_id = publish(alice)
    with monkeypatch.context() as failing:
        fail_for(
            failing,
            uid=uid,
            module=module,
            function=function,
            error=error("a bad day"),
            completed=completed,
        )
        with pytest.raises(error):
            tasks.deliver_part(post_id=post_id, part_number=0)
    assert state(post_id) == ("pending", 0)
    other_half = range(21, 41) if uid == 1 else range(1, 21)
    for reader in other_half:
        assert stored_ids(reader) == [post_id, *reversed(FULL_HEAD)]
        assert inbox_heads().find_one({"_id": reader})["n"] == 50
    work([("deliver_part", {"post_id": post_id, "part_number": 0, "attempt": 1})])
    tasks.deliver_post(post_id=post_id)
    assert state(post_id) == ("done", 40)
    for reader in range(1, 41):
        assert stored_ids(reader) == [post_id, *reversed(FULL_HEAD)]


@pytest.mark.parametrize("step", ["_insert_buckets", "_delete_dropped"])
def test_a_half_that_stops_while_it_seals_loses_and_repeats_nothing(
    alice, for_workers, asked, two_halves, monkeypatch, step
):
    """The half stops before the buckets are copied, or after the heads are trimmed."""
    make_audience(alice, 40)
    inbox_heads().update_many({}, {"$set": {"ids": FULL_HEAD, "n": len(FULL_HEAD)}})
    post_id = publish(alice)
    original = getattr(seal, step)

    def stop(heads):
        if any(head.owner == 40 for head in heads):
            raise KeyboardInterrupt
        original(heads)

    with monkeypatch.context() as stopping:
        stopping.setattr(seal, step, stop)
        with pytest.raises(KeyboardInterrupt):
            tasks.deliver_part(post_id=post_id, part_number=0)
    tasks.deliver_post(post_id=post_id)
    assert state(post_id) == ("done", 40)
    for reader in range(1, 41):
        assert stored_ids(reader) == [post_id, *reversed(FULL_HEAD)]
        assert inbox_heads().find_one({"_id": reader})["n"] == 50


def test_recently_seen_followers_are_served_first(alice, for_workers, asked, monkeypatch):
    monkeypatch.setattr("feed.timeline.delivery.PRIORITY_RECIPIENTS", 5)
    make_audience(alice, 30, per_bucket=10)
    # The first two of the five most recently seen users do not follow alice.
    recent_uids = [901, 902, 17, 3, 29]
    inbox = inbox_heads().find_one({"_id": 1})
    inbox_heads().insert_many({**inbox, "_id": uid} for uid in (901, 902))
    for minutes, uid in enumerate(recent_uids):
        seen = timezone.now() + timezone.timedelta(minutes=10 - minutes)
        inbox_heads().update_one({"_id": uid}, {"$set": {"last_seen": seen}})
    connection.database["follow_edges"].insert_many(
        {"_id": uid, "follower": uid, "followee": alice.pk, "bucket": 0} for uid in range(1, 31)
    )
    served = []
    original = strategies.deliver

    def record_and_deliver(*, activity, recipients, threads=1):
        served.append(set(recipients))
        original(activity=activity, recipients=recipients)

    post_id = publish(alice)
    monkeypatch.setattr(strategies, "deliver", record_and_deliver)
    work(asked)
    assert served[0] == {17, 3, 29}
    assert len(served) == 4
    assert times_delivered(post_id) == {1: 30, 0: 2}
    assert state(post_id) == ("done", 30), "who is served first is not counted twice"


def test_delivery_continues_if_priority_delivery_fails(alice, for_workers, asked, monkeypatch):
    make_audience(alice, 20, per_bucket=10)

    def fail(**_):
        raise RuntimeError("no such index")

    monkeypatch.setattr(delivery, "deliver_priority", fail)
    post_id = publish(alice)
    work(asked)
    assert times_delivered(post_id) == {1: 20}


def test_a_repeated_delivery_adds_no_copies(alice, settings):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 10_000
    make_audience(alice, 20, per_bucket=10)
    post_id = publish(alice)
    posts().update_one({"_id": post_id}, {"$set": {"delivery_state": "pending"}})
    tasks.deliver_post(post_id=post_id)
    tasks.deliver_post(post_id=post_id)
    assert times_delivered(post_id) == {1: 20}


def test_a_delivery_with_parts_can_be_finished_by_deliver_post(alice, for_workers, asked):
    make_audience(alice, 40, per_bucket=10)
    post_id = publish(alice)
    tasks.deliver_part(post_id=post_id, part_number=2)
    tasks.deliver_post(post_id=post_id)
    assert state(post_id) == ("done", 40)
    assert times_delivered(post_id) == {1: 40}


def test_a_direct_post_is_delivered_only_to_mentioned_users(alice, bob, carol, asked):
    for user in (bob, carol):
        follow(user, alice)
        strategies.active_strategy().read_inbox(owner=user.pk)
    post_id = publish(alice, "@bob listen", "direct")
    posts().update_one({"_id": post_id}, {"$set": {"delivery_state": "pending"}})
    tasks.deliver_post(post_id=post_id)
    assert state(post_id)[0] == "done"
    assert is_in_inbox(bob.pk, post_id)
    assert not is_in_inbox(carol.pk, post_id)


def test_a_deleted_post_is_not_delivered(alice, for_workers, asked):
    make_audience(alice, 3)
    post_id = publish(alice)
    Post.objects.get().delete()
    work(asked)
    tasks.deliver_post(post_id=post_id)
    assert times_delivered(post_id) == {0: 3}


def test_many_empty_buckets_cost_few_commands(alice, record_commands):
    connection.database["audience_buckets"].insert_many(
        {"author": alice.pk, "seq": n, "uids": [], "n": 0} for n in range(300)
    )
    with record_commands() as commands:
        post_id = publish(alice)
    assert state(post_id)[0] == "done"
    assert len(commands) < 15
