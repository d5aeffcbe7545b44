"""The command log, which limits the cost of tests, and the reset between tests."""

import threading
import time

from django.contrib.auth.models import Permission
from django.db import connection

from accounts.models import User
from tests.database import command_log, delete_leftovers, reset_database
from tests.factories import people


def find_user(times):
    for _ in range(times):
        connection.database["accounts_user"].find_one({"_id": 1})


def start_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_commands_of_the_test_and_its_threads_are_counted():
    before = command_log.count
    find_user(2)
    start_thread(lambda: find_user(3)).join()
    assert command_log.count - before == 5


def test_commands_of_older_threads_are_not_counted_or_recorded():
    may_start = threading.Event()

    def wait_and_find():
        may_start.wait(10)
        find_user(3)

    older = start_thread(wait_and_find)
    command_log.start_count()
    with command_log.record() as commands:
        may_start.set()
        older.join()
    assert command_log.count == 0
    assert commands == []


def test_a_new_thread_that_reuses_a_thread_number_is_recorded():
    older = start_thread(lambda: time.sleep(0.05))
    command_log.start_count()
    older.join()
    with command_log.record() as commands:
        thread = start_thread(lambda: find_user(1))
        thread.join()
    assert len(commands) == 1


def test_uncounted_commands_are_not_counted():
    before = command_log.count
    with command_log.uncounted():
        find_user(3)
    assert command_log.count == before


def test_renewing_the_lease_for_ids_is_not_recorded():
    before = command_log.count
    with command_log.record() as commands:
        connection.database["node_leases"].find_one_and_update({"_id": -1}, {"$set": {"at": 1}})
    assert commands == []
    assert command_log.count == before


def test_a_reset_deletes_written_documents_except_kept_collections():
    people(2)
    assert "accounts_user" in command_log.written
    reset_database(keep={"accounts_user"})
    assert User.objects.count() == 2
    reset_database()
    assert User.objects.count() == 0
    assert "accounts_user" not in command_log.written


def test_a_reset_after_another_process_keeps_the_documents_of_migrations(monkeypatch):
    monkeypatch.setattr("tests.database._other_processes_ran", lambda: True)
    monkeypatch.setattr("tests.database._locks_seen", {})  # all collections count as changed
    people(1)
    reset_database(keep={"feed_post"})
    assert User.objects.count() == 0
    assert Permission.objects.exists()
    assert connection.database["django_migrations"].count_documents({}) > 0


def test_late_writes_of_another_process_are_deleted():
    groups = connection.database["auth_group"]
    groups.insert_one({"_id": 1, "name": "left over"})
    command_log.written.discard("auth_group")  # as if a child process had written it
    users = people(1)
    delete_leftovers()
    assert groups.count_documents({}) == 0
    assert User.objects.get() == users[0]
    assert Permission.objects.exists()
