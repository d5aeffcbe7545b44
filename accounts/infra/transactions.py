"""Transactions across ORM and raw writes, with retries after temporary conflicts.

On this database, Django's own ``transaction.atomic`` silently does nothing. A raw write joins the
transaction by passing ``session=connection.session``, which is None outside of a transaction.
"""

import functools
import random
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from django.db import DatabaseError, IntegrityError, connection
from django.dispatch import Signal
from django_mongodb_backend import transaction

P = ParamSpec("P")
R = TypeVar("R")

MAX_ATTEMPTS = 30
BACKGROUND_ATTEMPTS = 800
"""Number of attempts for background work. If a process is killed, the server keeps the locks of its
transaction for a minute. These attempts last longer than that."""

MIN_PAUSE_SECONDS = 0.002
MAX_PAUSE_SECONDS = 0.25

DUPLICATE_KEY_CODE = 11000


def on_commit(function: Callable[[], object]) -> None:
    """Call the function after the commit, or now if there is no transaction.

    Exceptions of the function are logged, not raised, because the write is already committed and must not
    be repeated.
    """
    transaction.on_commit(function, robust=True)


def send_on_commit(signal: Signal, **ids: int) -> None:
    """Send the signal after the commit, so that a failing receiver does not undo the write."""
    on_commit(lambda: signal.send_robust(sender=None, **ids))


def transactional(
    *, retry_duplicate_keys: bool = False, max_attempts: int = MAX_ATTEMPTS
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: run the function in a transaction. After a temporary conflict, retry the whole function.

    Temporary conflicts are:

    * Errors that the server labels transient, because two writers changed the same document.
    * Duplicate keys, if ``retry_duplicate_keys`` is set, because two writers created the same document.

    The function must be safe to repeat, so it may change only the database. Inside another transaction, the
    function joins that transaction, and a conflict retries the outer function. After ``max_attempts``, the
    last error is raised and nothing is written.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            if cast("Any", connection).in_atomic_block_mongo:
                return function(*args, **kwargs)
            for attempt in range(1, max_attempts):
                try:
                    with transaction.atomic():
                        return function(*args, **kwargs)
                except Exception as error:
                    if not _can_retry(error, retry_duplicate_keys):
                        raise
                # A fully random pause ("full jitter") keeps the same writers from colliding again.
                longest = min(MAX_PAUSE_SECONDS, MIN_PAUSE_SECONDS * 2 ** min(attempt, 10))
                time.sleep(random.uniform(0, longest))  # noqa: S311 - not a secret
            with transaction.atomic():
                return function(*args, **kwargs)

        return run

    return decorate


def duplicate_key_indexes(error: Any) -> set[int]:
    """Return the indexes of the writes in a bulk write that failed because of a duplicate key.

    ``error`` is the BulkWriteError. Raises ``error`` if any write failed for another reason.
    """
    failures = error.details["writeErrors"]
    if any(failure["code"] != DUPLICATE_KEY_CODE for failure in failures):
        raise error
    return {failure["index"] for failure in failures}


def _can_retry(error: Exception, retry_duplicate_keys: bool) -> bool:
    # The ORM wraps the driver's errors, while raw writes raise the driver's errors directly.
    cause: Any = error.__cause__ if isinstance(error, DatabaseError) else error
    if isinstance(error, IntegrityError) or DUPLICATE_KEY_CODE in _error_codes(cause):
        return retry_duplicate_keys
    has_label = getattr(cause, "has_error_label", None)
    return has_label is not None and has_label("TransientTransactionError")


def _error_codes(error: Any) -> set[int]:
    """Return the server's error code and, for a bulk write, the codes of its failed writes."""
    details = getattr(error, "details", None) or {}
    return {
        getattr(error, "code", None),
        *(failure["code"] for failure in details.get("writeErrors", ())),
    }
