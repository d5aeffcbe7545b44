"""Transactions cover ORM and raw writes together, and transient conflicts are retried."""

import threading

import pytest
from django.db import IntegrityError, connection

from accounts.infra.store.connection import session
from accounts.infra.transactions import MAX_ATTEMPTS, on_commit, transactional
from accounts.models import User
from accounts.store.collections import follow_edges


class RollbackError(Exception):
    pass


@transactional()
def write_both(*, fail: bool) -> None:
    User.objects.create(username="orm")
    follow_edges().insert_one({"_id": 1, "follower": 1, "followee": 2}, session=session())
    if fail:
        raise RollbackError


def test_orm_and_raw_writes_are_rolled_back_together():
    with pytest.raises(RollbackError):
        write_both(fail=True)
    assert User.objects.count() == 0
    assert follow_edges().count_documents({}) == 0


def test_orm_and_raw_writes_are_committed_together():
    write_both(fail=False)
    assert User.objects.count() == 1
    assert follow_edges().count_documents({}) == 1


def test_writes_are_invisible_outside_before_the_commit():
    seen = []

    @transactional()
    def write() -> None:
        User.objects.create(username="hidden")
        seen.append(connection.database["accounts_user"].count_documents({}))

    write()
    seen.append(connection.database["accounts_user"].count_documents({}))
    assert seen == [0, 1]


def test_concurrent_writers_of_a_document_all_succeed():
    counters = connection.database["test_counters"]
    counters.insert_one({"_id": 1, "n": 0})
    start = threading.Barrier(4)

    @transactional()
    def count() -> None:
        read = counters.find_one({"_id": 1}, session=session())
        counters.update_one({"_id": 1}, {"$set": {"n": read["n"] + 1}}, session=session())

    def work():
        start.wait()
        for _ in range(5):
            count()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counters.find_one()["n"] == 20


def test_a_duplicate_key_is_an_error_unless_retries_are_enabled():
    User.objects.create(username="taken")
    calls = []

    @transactional()
    def take() -> None:
        calls.append(1)
        User.objects.create(username="taken")

    with pytest.raises(IntegrityError):
        take()
    assert len(calls) == 1

    @transactional(retry_duplicate_keys=True)
    def take_again() -> None:
        calls.append(2)
        User.objects.create(username="taken" if calls.count(2) < 3 else "free")

    take_again()
    assert calls.count(2) == 3 < MAX_ATTEMPTS


def test_hooks_run_after_the_commit_and_not_after_a_rollback():
    results = []

    @transactional()
    def write(*, fail: bool) -> None:
        on_commit(lambda: results.append(User.objects.count()))
        User.objects.create(username="someone")
        if fail:
            raise RollbackError

    with pytest.raises(RollbackError):
        write(fail=True)
    assert results == []
    write(fail=False)
    assert results == [1]


def test_a_failing_hook_does_not_rerun_the_transaction():
    runs = []

    @transactional(retry_duplicate_keys=True)
    def write() -> None:
        runs.append(1)
        on_commit(lambda: User.objects.create(username="someone"))
        User.objects.create(username="someone")

    write()
    assert len(runs) == User.objects.count() == 1


def test_after_an_error_the_next_transaction_starts_clean():
    with pytest.raises(RollbackError):
        write_both(fail=True)
    assert connection.session is None
    write_both(fail=False)
    assert connection.session is None


@pytest.mark.parametrize("code", [112, 251])
def test_a_commit_with_unknown_result_is_retried_without_repeating_writes(code):
    # The server labels a WriteConflict as transient. This fail point lets the commit itself fail.
    admin = connection.database.client.admin
    admin.command(
        "configureFailPoint",
        "failCommand",
        mode={"times": 2},
        data={
            "failCommands": ["commitTransaction"],
            "errorCode": code,
            "errorLabels": ["UnknownTransactionCommitResult"],
        },
    )
    write_both(fail=False)
    assert User.objects.count() == 1


def test_a_rejected_commit_reruns_the_transaction_and_leaves_a_clean_thread():
    connection.database.client.admin.command(
        "configureFailPoint",
        "failCommand",
        mode={"times": 1},
        data={
            "failCommands": ["commitTransaction"],
            "errorCode": 251,
            "errorLabels": ["TransientTransactionError"],
        },
    )
    write_both(fail=False)
    assert User.objects.count() == 1
    assert connection.session is None
    assert connection.run_on_commit == []


def test_a_transaction_aborted_by_the_server_is_rerun_with_its_own_hooks_only():
    result, attempts = [], []

    @transactional()
    def write() -> None:
        attempts.append(1)
        on_commit(lambda: result.append(len(attempts)))
        follow_edges().insert_one({"_id": 1}, session=session())
        if len(attempts) == 1:
            session_id = connection.session.session_id
            connection.connection.admin.command("killSessions", [session_id])

    write()
    assert result == [2]
    assert follow_edges().count_documents({}) == 1
