"""Checks whether this site can serve users now: database, broker, cache, migrations, beat and workers.

Each check runs in a thread of its own, and all checks together take at most ``TIMEOUT_SECONDS``. A check
that hangs, for example because the database server is frozen, has failed.
"""

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.core.cache import caches
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from feed import clip_files
from socialsite.archive import jobs
from socialsite.celery import queue_names, queued_tasks
from socialsite.monitoring.store import check_write, heartbeat_ages, time_limit

TIMEOUT_SECONDS = 3.0
CACHE_SECONDS = 2.0
MAX_HEARTBEAT_AGE = 60.0
"""Seconds after which a process counts as stopped. Beat sends the job for heartbeats every 10 seconds."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A failed check: what is wrong, and what an administrator can do. Both contain no private values."""

    text: str
    fix: str


@dataclass(frozen=True, slots=True)
class Check:
    """A check.

    Attributes:
        success: the sentence that describes success.
        find_problem: returns the problem, or whether there is one. ``failure`` is the problem for True and
            for an error.
    """

    success: str
    find_problem: Callable[[], Problem | bool | None]
    failure: Problem


Results = Mapping[str, Problem | None]
"""The problem of each check by the name of the check, None if the check passed."""


def readiness_checks() -> dict[str, Check]:
    """Return the checks of ``/health/ready`` by name."""
    checks = {
        "database": Check("The database accepts writes.", check_write, DATABASE_FAILURE),
        "migrations": Check(
            "All migrations are applied.", _check_migrations, UNREADABLE_DATABASE_FAILURE
        ),
        "broker": Check("The broker can be reached.", _check_broker, BROKER_FAILURE),
        "beat": Check("Beat sends periodic jobs.", _check_beat, UNREADABLE_DATABASE_FAILURE),
        "worker": Check("A worker runs jobs.", _check_worker, UNREADABLE_DATABASE_FAILURE),
        "slow_worker": Check(
            "A worker runs slow jobs.", _check_slow_worker, UNREADABLE_DATABASE_FAILURE
        ),
    }
    if settings.REDIS_URL:
        checks["cache"] = Check("The cache can be reached.", _check_cache, CACHE_FAILURE)
    return checks


def run_checks(checks: Mapping[str, Check], *, seconds: float = TIMEOUT_SECONDS) -> Results:
    """Run the checks at the same time, for at most this number of seconds."""
    results: dict[str, Problem | None] = {name: check.failure for name, check in checks.items()}
    threads = [_start(name, check, results, seconds) for name, check in checks.items()]
    deadline = time.monotonic() + seconds
    for thread in threads:
        if thread is not None:
            thread.join(max(deadline - time.monotonic(), 0))
    return dict(results)


_cached: tuple[float, Results] | None = None
_lock = threading.Lock()


def current_readiness() -> Results:
    """Return the results of the readiness checks, which are at most ``CACHE_SECONDS`` old.

    While one thread runs the checks, other threads get the previous results, if there are any.
    """
    global _cached
    cached = _cached
    if cached is not None and time.monotonic() < cached[0] + CACHE_SECONDS:
        return cached[1]
    if _lock.acquire(blocking=cached is None):
        try:
            if _cached is cached:
                _cached = (time.monotonic(), run_checks(readiness_checks()))
        finally:
            _lock.release()
    assert _cached is not None  # noqa: S101 - for mypy
    return _cached[1]


def clear_cached_readiness() -> None:
    """Forget the last results."""
    global _cached
    _cached = None


_running: dict[str, threading.Thread] = {}
"""The thread of each check. A check that still hangs is not started again, so threads do not pile up."""


def _start(
    name: str, check: Check, results: dict[str, Problem | None], seconds: float
) -> threading.Thread | None:
    if name in _running and _running[name].is_alive():
        return None

    def run() -> None:
        try:
            with time_limit(seconds):
                problem = check.find_problem()
                results[name] = check.failure if problem is True else problem or None
        except Exception:  # noqa: BLE001, S110, RUF100 - the result is a problem already
            pass
        finally:
            connection.close()

    thread = threading.Thread(target=run, name=f"check {name}", daemon=True)
    _running[name] = thread
    thread.start()
    return thread


DATABASE_FAILURE = Problem(
    "The database does not accept writes.",
    "Check that MongoDB runs, that the replica set has a primary, and MONGODB_URI.",
)
UNREADABLE_DATABASE_FAILURE = Problem(
    "This could not be checked, because the database cannot be read.",
    "Solve the problem of the database first.",
)
UNAPPLIED_MIGRATIONS = Problem(
    "There are migrations that are not applied.", "Run: manage.py migrate"
)
BROKER_FAILURE = Problem(
    "The broker cannot be reached, so no background job starts.",
    "Check that the broker runs, and BROKER_URL.",
)
CACHE_FAILURE = Problem("The cache cannot be reached.", "Check that Redis runs, and REDIS_URL.")
STOPPED_BEAT = Problem(
    f"Beat has sent no periodic job for {MAX_HEARTBEAT_AGE:.0f} seconds.",
    "Start exactly one: celery -A socialsite beat",
)
STOPPED_WORKER = Problem(
    f"No worker has begun or finished a job for {MAX_HEARTBEAT_AGE:.0f} seconds.",
    "Start a worker: celery -A socialsite worker. If all workers are busy, start more of them.",
)
STOPPED_SLOW_WORKER = Problem(
    f"No worker has run a slow job for {MAX_HEARTBEAT_AGE:.0f} seconds, so videos and archives wait.",
    "Start a worker of slow jobs: celery -A socialsite worker -Q slow --concurrency 1",
)
NO_JOBS = Problem(
    "No worker has run a job lately. Without beat, there may have been no job.",
    "Start beat, then check again. Without a worker: celery -A socialsite worker",
)


def _check_migrations() -> Problem | None:
    applied = MigrationRecorder(connection).applied_migrations()
    return None if _known_migrations() <= applied.keys() else UNAPPLIED_MIGRATIONS


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).disk_migrations)


def _check_broker() -> None:
    queued_tasks(queue_names()[0])


def _check_cache() -> Problem | None:
    key, value = "readiness-check", uuid.uuid4().hex
    caches["default"].set(key, value, timeout=60)
    return None if caches["default"].get(key) else CACHE_FAILURE


def _check_beat() -> Problem | None:
    return None if is_recent("beat") else STOPPED_BEAT


def _check_worker() -> Problem | None:
    if is_recent("worker"):
        return None
    return STOPPED_WORKER if is_recent("beat") else NO_JOBS


def _check_slow_worker() -> Problem | None:
    if is_recent("slow_worker") or clip_files.is_converting() or jobs.is_running():
        return None
    return STOPPED_SLOW_WORKER if is_recent("beat") else NO_JOBS


def is_recent(name: str) -> bool:
    """Return whether a process of this kind has recorded a heartbeat lately. One command."""
    return heartbeat_ages().get(name, MAX_HEARTBEAT_AGE) < MAX_HEARTBEAT_AGE
