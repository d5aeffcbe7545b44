"""A cache of values that this process has read lately."""

import threading
import time
from collections.abc import Iterable
from typing import Generic, TypeVar

from accounts.infra import metrics

MAX_ENTRIES = 10_000

K = TypeVar("K")
V = TypeVar("V")


class ProcessCache(Generic[K, V]):
    """Values by key, each for some seconds. Threads share the cache, other processes do not.

    A value that was read before a change could be cached after the change. So read ``version`` first, then
    the values, and pass both to ``put``.
    """

    def __init__(self, *, name: str) -> None:
        """Create an empty cache. The metrics of the site show its hits and misses under ``name``."""
        self._lock = threading.Lock()
        self._hits = metrics.CACHE_READS.labels(name, "hit")
        self._misses = metrics.CACHE_READS.labels(name, "miss")
        self._entries: dict[K, tuple[float, V]] = {}
        self._version = 0

    def get(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the cached values by key."""
        now, values, missing_count = time.monotonic(), {}, 0
        for key in keys:
            cached = self._entries.get(key)
            if cached is not None and cached[0] > now:
                values[key] = cached[1]
            else:
                missing_count += 1
        if values:
            self._hits.inc(len(values))
        if missing_count:
            self._misses.inc(missing_count)
        return values

    def version(self) -> int:
        """Return a number that changes with every drop. Call this before reading values for ``put``."""
        return self._version

    def put(self, values: dict[K, V], *, version: int, seconds: float) -> None:
        """Cache values that were read after ``version()`` returned ``version``.

        If any value was dropped after that call, do nothing, because the values may have been read before
        the drop and may be outdated.
        """
        until = time.monotonic() + seconds
        with self._lock:
            if version != self._version:
                return
            if len(self._entries) > MAX_ENTRIES:
                self._entries.clear()
            self._entries.update({key: (until, value) for key, value in values.items()})

    def drop(self, key: K) -> None:
        with self._lock:
            self._version += 1
            self._entries.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._version += 1
            self._entries.clear()
