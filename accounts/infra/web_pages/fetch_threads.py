"""Fetch pages of other sites in threads of a worker, so that slow hosts delay no other job.

The caller records in the database what it has to fetch. If the worker dies, or if too many fetches wait, a
periodic job starts the fetch again.
"""

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from django.db import close_old_connections

logger = logging.getLogger(__name__)

MAX_THREADS = 8
"""Number of pages that a worker process fetches at a time."""

MAX_WAITING = 200

_pool: ThreadPoolExecutor
_jobs: set[Future[None]]
"""The jobs that run or wait."""


def start_fetch(job: Callable[[], object]) -> bool:
    """Run the job in a thread, as soon as one is free. Return False if too many jobs wait already."""
    if job_count() >= MAX_THREADS + MAX_WAITING:
        return False
    future = _pool.submit(_run, job)
    _jobs.add(future)
    future.add_done_callback(_jobs.discard)
    return True


def job_count() -> int:
    """Return the number of jobs that run or wait."""
    return len(_jobs)


def _run(job: Callable[[], object]) -> None:
    try:
        job()
    except Exception:
        logger.exception("A page could not be fetched")
    finally:
        close_old_connections()


def _create_pool() -> None:
    """Create the pool, also in a forked process, because threads do not survive a fork."""
    global _pool, _jobs
    _pool, _jobs = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="fetch"), set()


_create_pool()
os.register_at_fork(after_in_child=_create_pool)
