"""Access to MongoDB over Django's connection. All stores share one client and one connection pool."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from django.db import connection
from pymongo.client_session import ClientSession
from pymongo.collection import Collection
from pymongo.database import Database

Document = dict[str, Any]


def collection(name: str) -> Collection[Document]:
    return database()[name]


def database() -> Database[Document]:
    return cast("Database[Document]", cast("Any", connection).database)


def session() -> ClientSession | None:
    """Return the session of the current transaction, or None outside of a transaction.

    A raw command without this session would not be part of the transaction.
    """
    return cast("ClientSession | None", cast("Any", connection).session)


def run_in_threads(*, jobs: Sequence[Callable[[], object]]) -> None:
    """Run the jobs at the same time, each in a thread of its own. A single job needs no thread.

    The threads share the client and its pool. They are never part of a transaction, so do not call this in
    a transaction. If jobs fail, the error of the first of them is raised after all threads have ended, so
    nothing is written after the return.
    """
    if len(jobs) == 1:
        jobs[0]()
        return
    with ThreadPoolExecutor(max_workers=len(jobs)) as executor:
        futures = [executor.submit(job) for job in jobs]
    for future in futures:
        future.result()
