"""Transactions cover ORM and raw writes together, and passing conflicts are tried again."""

import threading

import pytest
from django.db import IntegrityError, connection

from accounts.infra.store.connection import session
from accounts.infra.transactions import MAX_ATTEMPTS, on_commit, transactional
from accounts.models import User
from accounts.store.collections import follow_edges


class ChangedItsMindError(Exception):
    pass


@transactional()
def write_both(*, fail: bool) -> None:
    User.objects.create(username="orm")
    follow_edges().insert_one({"_id": 1, "follower": 1, "followee": 2}, session=session())
    if fail:
        raise ChangedItsMindError


def test_orm_and_raw_writes_are_rolled_back_together():
    with pytest.raises(ChangedItsMindError):
        write_both(fail=True)
    assert User.objects.count() == 0
    assert follow_edges().count_documents({}) == 0


def test_orm_and_raw_writes_are_committed_together():
    write_both(fail=False)
    assert User.objects.count() == 1
    assert follow_edges().count_documents({}) == 1


def test_nothing_is_seen_from_outside_before_the_commit():
    seen = []

    @transactional()
    def write() -> None:
        User.objects.create(username="hidden")
        seen.append(connection.database["accounts_user"].count_documents({}))

    write()
    seen.append(connection.database["accounts_user"].count_documents({}))
    assert seen == [0, 1]


def test_two_writers_of_one_document_both_get_through():
    counters = connection.database["test_counters"]
    counters.insert_one({"_id": 1, "n": 0})
    start = threading.Barrier(4)

    @transactional()
    def count() -> None:
        read = counters.find_one({"_id": 1}, session=session())
        counters.update_one({"_id": 1}, {"$set": {"n": read["n"] + 1}}, session=session())

    def work():
        start.wait()
        for _ in range(10):
            count()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counters.find_one()["n"] == 40


def test_a_duplicate_key_is_an_error_unless_it_is_said_to_be_passing():
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
            raise ChangedItsMindError

    with pytest.raises(ChangedItsMindError):
        write(fail=True)
    assert results == []
    write(fail=False)
    assert results == [1]


def test_a_failing_hook_does_not_run_the_transaction_again():
    runs = []

    @transactional(retry_duplicate_keys=True)
    def write() -> None:
        runs.append(1)
        on_commit(lambda: User.objects.create(username="someone"))
        User.objects.create(username="someone")

    write()
    assert len(runs) == User.objects.count() == 1


def test_after_an_error_the_next_transaction_starts_clean():
    with pytest.raises(ChangedItsMindError):
        write_both(fail=True)
    assert connection.session is None
    write_both(fail=False)
    assert connection.session is None


@pytest.mark.parametrize("code", [112, 251])
def test_a_commit_the_server_is_unsure_of_is_asked_again_and_not_done_twice(code):
    # The server tells WriteConflict as transient; here it is told to fail the commit itself.
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


def test_a_refused_commit_is_run_again_and_leaves_a_clean_thread():
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


def test_a_transaction_ended_by_the_server_is_run_again_with_only_its_own_hooks():
    result, tries = [], []

    @transactional()
    def write() -> None:
        tries.append(1)
        on_commit(lambda: result.append(len(tries)))
        follow_edges().insert_one({"_id": 1}, session=session())
        if len(tries) == 1:
            session_id = connection.session.session_id
            connection.connection.admin.command("killSessions", [session_id])

    write()
    assert result == [2]
    assert follow_edges().count_documents({}) == 1
