"""Run work at low priority, so that it does not delay the pages of other people."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import ParamSpec, TypeVar

from django.utils import translation

NICENESS = 5
"""A thread of this niceness gets a third of the time that another thread gets on the same core."""

P = ParamSpec("P")
T = TypeVar("T")


def low_priority(work: Callable[P, T]) -> Callable[P, T]:
    """Run a function in a thread of its own that the kernel prefers less than other threads (Linux only).

    The caller waits for the result. For long work in C that releases Python's lock: a thread of low
    priority that holds the lock would delay the other threads of its process.
    """

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        language = translation.get_language()  # of error messages

        def work_in_language() -> T:
            with translation.override(language):
                return work(*args, **kwargs)

        with ThreadPoolExecutor(1, initializer=_lower_priority) as pool:
            return pool.submit(work_in_language).result()

    return run


def _lower_priority() -> None:
    if sys.platform != "linux":
        return  # it would be the priority of the whole process
    with contextlib.suppress(OSError):  # a container may forbid it
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
