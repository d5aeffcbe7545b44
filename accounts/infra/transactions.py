"""Transactions over ORM and raw writes together, tried again when the server asks for it.

Django's own ``transaction.atomic`` is a silent no-op on this database. A raw write joins by passing
``session=connection.session``, which is None outside of a transaction.
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
"""For work without a reader who waits: outlasts the minute for which the server keeps the transaction
of a process that was killed, and all that it had locked."""

MIN_PAUSE_SECONDS = 0.002
MAX_PAUSE_SECONDS = 0.25

DUPLICATE_KEY_CODE = 11000


def on_commit(function: Callable[[], object]) -> None:
    """Call the function once the transaction is committed, or now if there is none.

    What goes wrong in it is logged: by then the write stands and must not be run again.
    """
    transaction.on_commit(function, robust=True)


def transactional(
    *, retry_duplicate_keys: bool = False, max_attempts: int = MAX_ATTEMPTS
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: run the function in a transaction, and the *whole* again after a passing conflict.

    Passing are the errors that the server labels transient (two writers met in one document) and,
    with ``retry_duplicate_keys``, duplicate keys (two writers opened the same bucket). So the
    function must be safe to run again from the start: it changes nothing but the database. Called
    inside another transaction it joins that one, which is then the one to be run again. After
    ``attempts`` the last error is raised, and nothing was written.
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
                    if not _is_passing(error, retry_duplicate_keys):
                        raise
                # Full jitter: writers that met once should not meet again.
                longest = min(MAX_PAUSE_SECONDS, MIN_PAUSE_SECONDS * 2 ** min(attempt, 10))
                time.sleep(random.uniform(0, longest))  # noqa: S311 - not a secret
            with transaction.atomic():
                return function(*args, **kwargs)

        return run

    return decorate


def duplicate_key_indexes(error: Any) -> set[int]:
    """Return which writes of a bulk failed because their key exists. Raises the error if others failed."""
    failures = error.details["writeErrors"]
    if any(failure["code"] != DUPLICATE_KEY_CODE for failure in failures):
        raise error
    return {failure["index"] for failure in failures}


def _is_passing(error: Exception, retry_duplicate_keys: bool) -> bool:
    # The ORM wraps the driver's errors, raw writes raise them as they are.
    cause: Any = error.__cause__ if isinstance(error, DatabaseError) else error
    if isinstance(error, IntegrityError) or DUPLICATE_KEY_CODE in _codes(cause):
        return retry_duplicate_keys
    has_label = getattr(cause, "has_error_label", None)
    return has_label is not None and has_label("TransientTransactionError")


def _codes(error: Any) -> set[int]:
    """The server's code; of a bulk write, those of its single writes."""
    details = getattr(error, "details", None) or {}
    return {getattr(error, "code", None), *(one["code"] for one in details.get("writeErrors", ()))}


# MERGED FROM accounts.infra.transactions: Telling others what happened, once it did.
def send_on_commit(signal: Signal, **ids: int) -> None:
    """After the commit; what goes wrong in a receiver does not undo it."""
    on_commit(lambda: signal.send_robust(sender=None, **ids))
