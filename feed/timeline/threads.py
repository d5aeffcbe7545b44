"""Run database work in threads. Each process keeps its threads, because starting a thread costs time."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
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
    engine. A single part is not sorted and needs no other thread.

    The threads share the client and the database of this thread. They are never part of a transaction, so
    do not call this in a transaction. If parts fail, the error of the first of them is raised after all
    parts have ended, so nothing is written after the return.
    """
    if count == 1:
        function(ids)
        return
    ordered = sorted(ids)
    bounds = [len(ordered) * number // count for number in range(count + 1)]
    parts = [
        _pool.submit(_run_on, database(), function, ordered[start:end])
        for start, end in pairwise(bounds)
    ]
    wait(parts)
    for part in parts:
        part.result()


def _run_on(
    current: Database[Document], function: Callable[[list[int]], object], ids: list[int]
) -> None:
    # Set the database for each part, because the caller's client may be newer than this thread.
    cast("Any", connection).database = current
    function(ids)


def _renew_pool_after_fork() -> None:
    """Give a forked process a new pool, because threads do not survive a fork."""
    global _pool
    _pool = ThreadPoolExecutor(thread_name_prefix=NAME_PREFIX)


os.register_at_fork(after_in_child=_renew_pool_after_fork)
