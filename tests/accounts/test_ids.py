"""Ids: never twice, in order of time, and none without a lease."""

import multiprocessing
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from accounts.infra.ids import MAX_ID, NoNodeLease, first_id_at, generator, new_id, store, time_of
from accounts.infra.ids.generator import IdGenerator
from accounts.infra.ids.layout import NODE_BITS, NODES, SEQUENCE_BITS
from accounts.models import User

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
A_FEW_SECONDS = store.MAX_AHEAD_MS + 1_000


def database_ms() -> int:
    """What time it is for the database, in milliseconds of the id layout."""
    now = connection.database.client.admin.command("hello")["localTime"].replace(tzinfo=UTC)
    return first_id_at(moment=now) >> (NODE_BITS + SEQUENCE_BITS)


def lead_ms(id: int) -> int:
    return (id >> (NODE_BITS + SEQUENCE_BITS)) - database_ms()


def change_lease(node: int, **fields) -> None:
    connection.database["node_leases"].update_one({"_id": node}, {"$set": fields})


def node_of(id: int) -> int:
    return id >> SEQUENCE_BITS & (NODES - 1)


@pytest.fixture
def fresh():
    result = IdGenerator()
    yield result
    result.release_node()


def _make(count: int, results) -> None:
    new_results = [new_id() for _ in range(count)]
    results.put((new_results == sorted(new_results), new_results))


def test_a_million_ids_of_several_processes_never_repeat_and_are_in_order():
    # fork, as gunicorn and celery do: the children must not share what the parent had leased.
    new_id()
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=_make, args=(250_000, results)) for _ in range(4)]
    for worker in workers:
        worker.start()
    answers = [results.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert all(in_order for in_order, _ in answers)
    everything = [row for _, response in answers for row in response]
    assert len(set(everything)) == len(everything) == 1_000_000
    assert len({node_of(response[0]) for _, response in answers}) == 4
    assert 0 < min(everything) <= max(everything) <= MAX_ID


def test_threads_of_a_process_never_make_the_same_id(fresh):
    results: list[int] = []

    def work():
        results.extend([fresh.new_id() for _ in range(5000)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 20_000


def test_an_id_tells_its_moment():
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    moment = time_of(id=new_id())
    assert before <= moment <= datetime.now(UTC) + timedelta(seconds=1)
    assert time_of(id=first_id_at(moment=moment)) == moment


def test_ids_stay_in_order_when_the_clock_steps_back(fresh, monkeypatch):
    first = fresh.new_id()
    behind = generator._clock_ms() - 60_000
    monkeypatch.setattr(generator, "_clock_ms", lambda: behind)
    results = [fresh.new_id() for _ in range(10_000)]
    assert results == sorted(set(results))
    assert results[0] > first


def test_a_process_whose_lease_ran_out_makes_no_ids_until_it_has_a_new_one(fresh, monkeypatch):
    first = fresh.new_id()
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + store.LEASE_MS / 1000 + 1)

    def unreachable(**_):
        raise NoNodeLease

    monkeypatch.setattr(generator, "renew_lease", lambda *_, **__: None)
    with monkeypatch.context() as cut_off:
        cut_off.setattr(generator, "acquire_lease", unreachable)
        for _ in range(3):
            with pytest.raises(NoNodeLease):
                fresh.new_id()
    assert fresh.new_id() > first


def test_a_lease_is_renewed_before_it_runs_out(fresh, monkeypatch):
    node = node_of(fresh.new_id())
    now = time.monotonic()
    later = store.LEASE_MS / 1000 * 0.7
    monkeypatch.setattr(time, "monotonic", lambda: now + later)
    assert node_of(fresh.new_id()) == node
    assert fresh._lease.valid_until > now + store.LEASE_MS / 1000


def test_a_lease_taken_over_by_another_holder_is_not_renewed(fresh):
    fresh.new_id()
    lease = fresh._lease
    connection.database["node_leases"].update_one(
        {"_id": lease.node}, {"$set": {"holder": "somebody else"}}
    )
    assert store.renew_lease(lease) is None
    connection.database["node_leases"].delete_one({"_id": lease.node})


def test_the_next_holder_of_a_node_starts_above_what_the_last_may_have_used():
    lease = store.acquire_lease(min_ms=1000)
    used = database_ms() + 500
    change_lease(lease.node, until_ms=used, expires_at=LONG_AGO)
    following = store._take(lease.node, "next", 1000)
    assert following.from_ms == used + 1
    assert following.until_ms > following.from_ms
    store.release_lease(following, used_ms=0)
    assert connection.database["node_leases"].find_one({"_id": lease.node})["until_ms"] == used


def test_a_number_whose_last_holder_was_far_ahead_waits(fresh):
    node = node_of(fresh.new_id())
    fresh.release_node()
    change_lease(node, until_ms=database_ms() + 3_600_000, expires_at=LONG_AGO)
    assert store._take(node, "next", 0) is None
    change_lease(node, until_ms=database_ms())
    assert store._take(node, "next", 0) is not None
    connection.database["node_leases"].delete_one({"_id": node})


@pytest.mark.parametrize("hours", [1, -1])
def test_ids_never_lead_the_clock_of_the_database(fresh, monkeypatch, hours):
    results = [fresh.new_id()]
    here = generator._clock_ms
    with monkeypatch.context() as leap:
        leap.setattr(generator, "_clock_ms", lambda: here() + hours * 3_600_000)
        results += [fresh.new_id() for _ in range(3)]
        assert lead_ms(results[-1]) <= A_FEW_SECONDS
        fresh.release_node()
        results.append(fresh.new_id())
    assert lead_ms(results[-1]) <= A_FEW_SECONDS
    results += [fresh.new_id() for _ in range(3)]
    assert lead_ms(results[-1]) <= A_FEW_SECONDS
    assert results == sorted(set(results))


def test_a_process_that_was_ahead_begins_again_with_another_number(fresh, caplog):
    ahead = fresh.new_id()
    # As if the clock of the database had been an hour ahead when the last id was made.
    fresh._last_ms += 3_600_000
    results = [fresh.new_id() for _ in range(3)]
    assert lead_ms(results[-1]) <= A_FEW_SECONDS
    assert results == sorted(set(results))
    assert node_of(results[0]) != node_of(ahead)
    assert "The database clock went back" in caplog.text


def test_a_clock_that_is_ahead_asks_the_database_at_most_once_a_second(
    fresh, monkeypatch, record_commands
):
    fresh.new_id()
    here = generator._clock_ms
    monkeypatch.setattr(generator, "_clock_ms", lambda: here() + 3_600_000)
    with record_commands(has_renewals=True) as commands:
        for _ in range(1000):
            fresh.new_id()
    assert [name for name, _ in commands] == ["findAndModify"]


def test_a_node_is_not_given_to_two_holders():
    lease = store.acquire_lease(min_ms=1000)
    assert store._take(lease.node, "thief", 1000) is None
    store.release_lease(lease, used_ms=1000)


def test_all_nodes_taken_is_a_clear_error():
    stored = connection.database["node_leases"]
    future = datetime.now(UTC) + timedelta(hours=1)
    before = list(stored.find())
    stored.delete_many({})
    stored.insert_many(
        {"_id": node, "holder": "x", "expires_at": future, "until_ms": 0} for node in range(NODES)
    )
    with pytest.raises(NoNodeLease, match="All 1024 node numbers"):
        store.acquire_lease(min_ms=0)
    stored.delete_many({})
    if before:
        stored.insert_many(before)


def test_a_number_beyond_63_bits_finds_nothing_and_fails_nothing():
    assert not User.objects.filter(pk=MAX_ID + 1).exists()


def test_an_attempt_without_a_lease_leaves_no_trace_in_later_ids(fresh, monkeypatch):
    """The clock leaps ahead while the database is away, and back again."""
    results = [fresh.new_id() for _ in range(10)]
    now, started = generator._clock_ms(), time.monotonic()
    with monkeypatch.context() as leap:
        leap.setattr(generator, "_clock_ms", lambda: now + 2 * store.LEASE_MS)
        leap.setattr(time, "monotonic", lambda: started + 2 * store.LEASE_MS / 1000)
        leap.setattr(generator, "renew_lease", lambda *_, **__: None)

        def unreachable(**_):
            raise NoNodeLease

        leap.setattr(generator, "acquire_lease", unreachable)
        for _ in range(3):
            with pytest.raises(NoNodeLease):
                fresh.new_id()
    monkeypatch.setattr(generator, "_clock_ms", lambda: now)
    results += [fresh.new_id() for _ in range(10)]
    assert results == sorted(set(results))


def test_ids_stay_in_order_when_the_node_number_changes_within_a_millisecond(fresh, monkeypatch):
    now = generator._clock_ms()
    monkeypatch.setattr(generator, "_clock_ms", lambda: now)
    results = []
    for _ in range(8):
        results += [fresh.new_id() for _ in range(3)]
        fresh.release_node()  # and the next id is made with another number
    assert len({node_of(row) for row in results}) > 1
    assert results == sorted(set(results))
