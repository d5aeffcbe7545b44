"""The pool of threads for database work."""

import subprocess
import sys
import threading
from functools import partial

import pytest
from django.db import connection

from accounts.infra.store.connection import collection
from feed.timeline import threads
from feed.timeline.threads import run_for_parts
from tests.database import command_log

SECONDS = 30


def run_parts(function, *, count=2):
    """Call the function at the same time with each of the numbers below ``count``."""
    run_for_parts(ids=list(range(count)), count=count, function=lambda ids: function(*ids))


def meet(barrier, _number=0):
    barrier.wait(SECONDS)


@pytest.fixture
def small_pool(monkeypatch):
    """Replace the pool with a pool of two threads."""
    pool = threads.ThreadPoolExecutor(max_workers=2)
    monkeypatch.setattr(threads, "_pool", pool)
    yield pool
    pool.shutdown()


def test_parts_run_at_the_same_time():
    run_parts(partial(meet, threading.Barrier(3)), count=3)


def test_threads_are_used_again(small_pool):
    names = set()
    for _ in range(3):
        barrier = threading.Barrier(2)

        def note_name(_number, barrier=barrier):
            meet(barrier)
            names.add(threading.current_thread().name)

        run_parts(note_name)
    assert len(names) == 2


@pytest.mark.parametrize(("failing", "raised"), [([0], 0), ([2], 2), ([2, 1], 1), ([0, 1, 2], 0)])
def test_the_first_error_is_raised_after_all_parts_have_ended(failing, raised):
    has_failed, ended = threading.Event(), []

    def run(number):
        if number in failing:
            has_failed.set()
            raise ValueError(number)
        assert has_failed.wait(SECONDS)
        ended.append(number)

    with pytest.raises(ValueError, match=str(raised)):
        run_parts(run, count=3)
    assert sorted([*failing, *ended]) == [0, 1, 2]


@pytest.fixture
def another_database():
    site = connection.database
    yield site.client["another"]
    connection.database = site


def test_parts_use_the_database_of_the_caller(another_database):
    """A thread of the pool may be older than the caller's database, for example in a benchmark."""
    names = []
    barrier = threading.Barrier(2)

    def note_name(_number):
        meet(barrier)
        names.append(collection("x").database.name)

    run_parts(note_name)
    connection.database = another_database
    run_parts(note_name)
    assert names == [connection.settings_dict["NAME"]] * 2 + ["another"] * 2


def test_commands_of_threads_are_counted(record_commands):
    run_parts(partial(meet, threading.Barrier(2)))
    command_log.start_count()  # the threads of the pool are now older than the test
    with record_commands() as commands:
        run_parts(lambda _number: collection("x").find_one({}))
    assert len(commands) == 2


def test_ids_are_divided_into_ranges():
    parts = []
    run_for_parts(ids=[5, 3, 1, 4, 2], count=2, function=parts.append)
    assert sorted(parts) == [[1, 2], [3, 4, 5]]
    run_for_parts(ids=[3, 1, 2], count=1, function=parts.append)
    assert parts[-1] == [3, 1, 2]


FORK = """
import os, threading
from django.conf import settings
engine = {"ENGINE": "socialsite.engine", "HOST": os.environ["MONGODB_URI"], "NAME": "fork"}
settings.configure(DATABASES={"default": engine})  # django.setup() would take seconds
from accounts.infra.store.connection import collection
from feed.timeline.threads import run_for_parts

def read_at_the_same_time():
    barrier = threading.Barrier(2)
    def read(_ids):
        collection("x").find_one({})
        barrier.wait(30)
    run_for_parts(ids=[1, 2], count=2, function=read)

read_at_the_same_time()
child = os.fork()
read_at_the_same_time()
if child:
    _, status = os.waitpid(child, 0)
    assert status == 0, status
"""


def test_the_pool_survives_a_fork_and_ends_with_the_process():
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK],
        timeout=SECONDS,
        check=True,
    )
