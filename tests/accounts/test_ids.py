"""Ids are unique, ordered by time, and never generated without a lease."""

import multiprocessing
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from accounts.infra.ids import MAX_ID, NoNodeLease, first_id_at, generator, new_id, store, time_of
from accounts.infra.ids.generator import IdGenerator
from accounts.infra.ids.layout import NODE_BITS, NODES, SEQUENCE_BITS, SEQUENCES
from accounts.models import User
from tests.at_once import at_once

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
A_FEW_SECONDS = store.MAX_AHEAD_MS + 1_000


def database_ms() -> int:
    """Return the database's current time in milliseconds of the id layout."""
    now = connection.database.client.admin.command("hello")["localTime"].replace(tzinfo=UTC)
    return first_id_at(moment=now) >> (NODE_BITS + SEQUENCE_BITS)


def ms_of(id: int) -> int:
    return id >> (NODE_BITS + SEQUENCE_BITS)


def lead_ms(id: int) -> int:
    return ms_of(id) - database_ms()


def change_lease(node: int, **fields) -> None:
    connection.database["node_leases"].update_one({"_id": node}, {"$set": fields})


def node_of(id: int) -> int:
    return id >> SEQUENCE_BITS & (NODES - 1)


@pytest.fixture
def id_generator():
    result = IdGenerator()
    yield result
    result.release_node()


def _generate(count: int, results) -> None:
    new_results = [new_id() for _ in range(count)]
    results.put((new_results == sorted(new_results), new_results))


def test_ids_of_several_processes_are_unique_and_ordered():
    # gunicorn and celery fork processes in this way. A child must not share its parent's lease.
    new_id()
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=_generate, args=(50_000, results)) for _ in range(4)]
    for worker in workers:
        worker.start()
    batches = [results.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert all(in_order for in_order, _ in batches)
    all_ids = [row for _, response in batches for row in response]
    assert len(set(all_ids)) == len(all_ids) == 200_000
    assert len({node_of(response[0]) for _, response in batches}) == 4
    assert 0 < min(all_ids) <= max(all_ids) <= MAX_ID


def test_threads_of_a_process_generate_unique_ids(id_generator):
    results: list[int] = []

    def work():
        results.extend([id_generator.new_id() for _ in range(5000)])

    at_once(*[work] * 4)
    assert len(set(results)) == 20_000


def test_many_ids_at_once_are_unique_and_in_order(id_generator, monkeypatch):
    now = generator._clock_ms()
    monkeypatch.setattr(generator, "_clock_ms", lambda: now)
    results = [id_generator.new_id()]
    for count in (1, 0, SEQUENCES - 3, 1, 2 * SEQUENCES + 5):
        ids = id_generator.new_ids(count)
        assert len(ids) == count
        results += [*ids, id_generator.new_id()]
    assert results == sorted(set(results))
    assert {node_of(row) for row in results} == {node_of(results[0])}
    # No number of a sequence is skipped, so many ids need few milliseconds.
    assert ms_of(results[-1]) - ms_of(results[0]) == (len(results) - 1) // SEQUENCES


def test_threads_that_take_many_ids_at_once_get_different_ids(id_generator):
    results: list[int] = []

    def work():
        for _ in range(10):
            results.extend(id_generator.new_ids(1000))

    at_once(*[work] * 4)
    assert len(set(results)) == 40_000


def test_many_ids_at_once_never_exceed_the_lease(id_generator, monkeypatch):
    now = generator._clock_ms()
    monkeypatch.setattr(generator, "_clock_ms", lambda: now)
    monkeypatch.setattr(generator, "renew_lease", lambda *_: None)
    results = [id_generator.new_id()]
    until_ms = id_generator._last_ms + 1
    id_generator._lease = lease = replace(id_generator._lease, until_ms=until_ms)
    results += id_generator.new_ids(3 * SEQUENCES)
    assert results == sorted(set(results))
    assert max(ms_of(row) for row in results if node_of(row) == lease.node) == until_ms
    assert node_of(results[-1]) != lease.node


def test_an_id_contains_its_time():
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    moment = time_of(id=new_id())
    assert before <= moment <= datetime.now(UTC) + timedelta(seconds=1)
    assert time_of(id=first_id_at(moment=moment)) == moment


def test_ids_stay_in_order_when_the_clock_steps_back(id_generator, monkeypatch):
    first = id_generator.new_id()
    behind = generator._clock_ms() - 60_000
    monkeypatch.setattr(generator, "_clock_ms", lambda: behind)
    results = [id_generator.new_id() for _ in range(10_000)]
    assert results == sorted(set(results))
    assert results[0] > first


def test_a_process_with_an_expired_lease_generates_no_ids(id_generator, monkeypatch):
    first = id_generator.new_id()
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + store.LEASE_MS / 1000 + 1)

    def unreachable(**_):
        raise NoNodeLease

    monkeypatch.setattr(generator, "renew_lease", lambda *_, **__: None)
    with monkeypatch.context() as cut_off:
        cut_off.setattr(generator, "acquire_lease", unreachable)
        for _ in range(3):
            with pytest.raises(NoNodeLease):
                id_generator.new_id()
    assert id_generator.new_id() > first


def test_a_lease_is_renewed_before_it_expires(id_generator, monkeypatch):
    node = node_of(id_generator.new_id())
    now = time.monotonic()
    later = store.LEASE_MS / 1000 * 0.7
    monkeypatch.setattr(time, "monotonic", lambda: now + later)
    assert node_of(id_generator.new_id()) == node
    assert id_generator._lease.valid_until > now + store.LEASE_MS / 1000


def test_a_lease_taken_over_by_another_holder_is_not_renewed(id_generator):
    id_generator.new_id()
    lease = id_generator._lease
    connection.database["node_leases"].update_one(
        {"_id": lease.node}, {"$set": {"holder": "somebody else"}}
    )
    assert store.renew_lease(lease) is None
    connection.database["node_leases"].delete_one({"_id": lease.node})


def test_the_next_holder_of_a_node_starts_above_the_ids_of_the_last_holder():
    lease = store.acquire_lease(min_ms=1000)
    used = database_ms() + 500
    change_lease(lease.node, until_ms=used, expires_at=LONG_AGO)
    next_lease = store._take(lease.node, "next", 1000)
    assert next_lease.from_ms == used + 1
    assert next_lease.until_ms > next_lease.from_ms
    store.release_lease(next_lease, used_ms=0)
    assert connection.database["node_leases"].find_one({"_id": lease.node})["until_ms"] == used


def test_a_node_is_not_leased_while_its_last_ids_are_in_the_future(id_generator):
    node = node_of(id_generator.new_id())
    id_generator.release_node()
    change_lease(node, until_ms=database_ms() + 3_600_000, expires_at=LONG_AGO)
    assert store._take(node, "next", 0) is None
    change_lease(node, until_ms=database_ms())
    assert store._take(node, "next", 0) is not None
    connection.database["node_leases"].delete_one({"_id": node})


@pytest.mark.parametrize("hours", [1, -1])
def test_ids_are_never_far_ahead_of_the_database_clock(id_generator, monkeypatch, hours):
    results = [id_generator.new_id()]
    real_clock_ms = generator._clock_ms
    with monkeypatch.context() as jump:
        jump.setattr(generator, "_clock_ms", lambda: real_clock_ms() + hours * 3_600_000)
        results += [id_generator.new_id() for _ in range(3)]
        assert lead_ms(results[-1]) <= A_FEW_SECONDS
        id_generator.release_node()
        results.append(id_generator.new_id())
    assert lead_ms(results[-1]) <= A_FEW_SECONDS
    results += [id_generator.new_id() for _ in range(3)]
    assert lead_ms(results[-1]) <= A_FEW_SECONDS
    assert results == sorted(set(results))


def test_a_process_ahead_of_the_database_clock_switches_to_another_node(id_generator, caplog):
    ahead = id_generator.new_id()
    # The lease looks as if the database clock had been an hour ahead when the last id was generated.
    id_generator._last_ms += 3_600_000
    results = [id_generator.new_id() for _ in range(3)]
    assert lead_ms(results[-1]) <= A_FEW_SECONDS
    assert results == sorted(set(results))
    assert node_of(results[0]) != node_of(ahead)
    assert "The database clock went back" in caplog.text


def test_a_clock_that_is_ahead_queries_the_database_at_most_once_a_second(
    id_generator, monkeypatch, record_commands
):
    id_generator.new_id()
    real_clock_ms = generator._clock_ms
    monkeypatch.setattr(generator, "_clock_ms", lambda: real_clock_ms() + 3_600_000)
    with record_commands(has_renewals=True) as commands:
        for _ in range(1000):
            id_generator.new_id()
    assert [name for name, _ in commands] == ["findAndModify"]


def test_a_node_is_not_leased_to_two_holders():
    lease = store.acquire_lease(min_ms=1000)
    assert store._take(lease.node, "thief", 1000) is None
    store.release_lease(lease, used_ms=1000)


def test_an_error_says_that_all_nodes_are_leased():
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


def test_a_number_beyond_63_bits_matches_no_row():
    assert not User.objects.filter(pk=MAX_ID + 1).exists()


def test_failed_attempts_without_a_lease_do_not_affect_later_ids(id_generator, monkeypatch):
    # This machine's clock jumps ahead while the database is unreachable, and then jumps back.
    results = [id_generator.new_id() for _ in range(10)]
    now, started = generator._clock_ms(), time.monotonic()
    with monkeypatch.context() as jump:
        jump.setattr(generator, "_clock_ms", lambda: now + 2 * store.LEASE_MS)
        jump.setattr(time, "monotonic", lambda: started + 2 * store.LEASE_MS / 1000)
        jump.setattr(generator, "renew_lease", lambda *_, **__: None)

        def unreachable(**_):
            raise NoNodeLease

        jump.setattr(generator, "acquire_lease", unreachable)
        for _ in range(3):
            with pytest.raises(NoNodeLease):
                id_generator.new_id()
    monkeypatch.setattr(generator, "_clock_ms", lambda: now)
    results += [id_generator.new_id() for _ in range(10)]
    assert results == sorted(set(results))


def test_ids_stay_in_order_when_the_node_number_changes_within_a_millisecond(
    id_generator, monkeypatch
):
    now = generator._clock_ms()
    monkeypatch.setattr(generator, "_clock_ms", lambda: now)
    results = []
    for _ in range(8):
        results += [id_generator.new_id() for _ in range(3)]
        id_generator.release_node()  # the next id needs a new node number
    assert len({node_of(row) for row in results}) > 1
    assert results == sorted(set(results))
