"""Threads for Django code, which would block the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
R = TypeVar("R")


class TooBusy(Exception):
    """Too many jobs are waiting for a thread."""


class DjangoThreads:
    """A pool of threads. Each job returns its database connection.

    Args:
        max_jobs: maximum number of jobs that run or wait, or None for no limit.
    """

    def __init__(self, *, name: str, count: int, max_jobs: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix=name)
        self._job_count, self._max_jobs = 0, max_jobs

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function in a thread. Raises TooBusy beyond ``max_jobs``."""
        if self._max_jobs is not None and self._job_count >= self._max_jobs:
            raise TooBusy

        def job() -> R:
            try:
                return function(*args, **kwargs)
            finally:
                close_old_connections()

        self._job_count += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, job)
        finally:
            self._job_count -= 1


opening_threads = DjangoThreads(name="opening", count=4, max_jobs=1000)
"""Answer the requests that open streams."""

content_threads = DjangoThreads(name="content", count=4)
"""Read the content of events."""
