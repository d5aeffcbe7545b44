"""Run database work in threads. Each process keeps its threads, because starting a thread costs time."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import pairwise
from typing import Any, cast

from django.db import connection
from pymongo.database import Database

from accounts.infra.store.connection import Document, database

NAME_PREFIX = "database"

_pool = ThreadPoolExecutor(thread_name_prefix=NAME_PREFIX)


def run_for_parts(*, ids: list[int], count: int, function: Callable[[list[int]], object]) -> None:
    """Split the ids into ``count`` parts and call the function for all parts at the same time.

    The parts are ranges of the sorted ids, so that the threads write to different pages of the storage
    engine. A single part is not sorted. ``run_in_threads`` explains errors.
    """
    if count == 1:
        function(ids)
        return
    ordered = sorted(ids)
    bounds = [len(ordered) * number // count for number in range(count + 1)]
    run_in_threads(jobs=[partial(function, ordered[start:end]) for start, end in pairwise(bounds)])


def run_in_threads(*, jobs: Sequence[Callable[[], object]]) -> None:
    """Run the jobs at the same time: the first in this thread, the others in threads of the pool.

    The threads share the client and the database of this thread. They are never part of a transaction, so
    do not call this in a transaction. If jobs fail, the error of the first of them is raised after all jobs
    have ended, so nothing is written after the return.

    A job that no thread has started yet runs in this thread. So the function never waits for a free thread,
    and jobs may call it, too.
    """
    current = database()
    queued = [_pool.submit(_run_on, current, job) for job in jobs[1:]]
    outcomes = [_run_here(job) for job in jobs[:1]]
    for future, job in zip(queued, jobs[1:], strict=True):
        outcomes.append(_run_here(job) if future.cancel() else future)
    wait(outcomes)
    for outcome in outcomes:
        outcome.result()


def _run_on(current: Database[Document], job: Callable[[], object]) -> None:
    # Set the database for each job, because the caller's client may be newer than this thread.
    cast("Any", connection).database = current
    job()


def _run_here(job: Callable[[], object]) -> Future[None]:
    outcome: Future[None] = Future()
    try:
        job()
    except BaseException as error:
        outcome.set_exception(error)
    else:
        outcome.set_result(None)
    return outcome


def _renew_pool_after_fork() -> None:
    """Give a forked process a new pool, because threads do not survive a fork."""
    global _pool
    _pool = ThreadPoolExecutor(thread_name_prefix=NAME_PREFIX)


os.register_at_fork(after_in_child=_renew_pool_after_fork)
