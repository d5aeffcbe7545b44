"""The metrics of the site for Prometheus. ``docs/monitoring/`` uses them in a dashboard and alert rules.

Each process counts for itself. If ``PROMETHEUS_MULTIPROC_DIR`` names a folder, the processes of a machine
share their counts in its files, and ``/metrics`` shows the sums. Labels have few different values: never
paths, ids or names of users.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prometheus_client import Counter, Gauge, Histogram

# The first metric opens a file in this folder.
if _folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    Path(_folder).mkdir(parents=True, exist_ok=True)

SECONDS_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

REQUESTS = Counter(
    "socialsite_requests", "Requests by route, method and status.", ("route", "method", "status")
)
REQUEST_SECONDS = Histogram(
    "socialsite_request_seconds",
    "Time until the response begins, by route.",
    ("route",),
    buckets=SECONDS_BUCKETS,
)
REQUEST_COMMANDS = Counter(
    "socialsite_request_commands", "Database commands of requests, by route.", ("route",)
)
DELIVERIES = Counter(
    "socialsite_deliveries", "Inboxes that posts were delivered to, repeated deliveries included."
)
INBOX_BUILDS = Counter("socialsite_inbox_builds", "Inboxes built for new and returning users.")
OPEN_STREAMS = Gauge(
    "socialsite_open_streams",
    "Open streams of pages and apps.",
    multiprocess_mode="livesum",
)
MAILS = Counter("socialsite_mails", "Mails about notifications by outcome.", ("outcome",))
PUSHES = Counter("socialsite_pushes", "Pushes to devices by outcome.", ("outcome",))
CACHE_READS = Counter(
    "socialsite_cache_reads", "Reads of caches in processes, by result.", ("cache", "result")
)
FAILURES = Counter(
    "socialsite_failures",
    "Failures by kind: exceptions of requests, failed tasks and logged errors.",
    ("kind",),
)

PUBLISH_SECONDS = 5.0
"""How often the counts of function caches are added to ``CACHE_READS``."""

_function_caches: dict[str, Any] = {}
_published: dict[str, tuple[int, int]] = {}
_published_at = 0.0


def watch_function_cache(*, name: str, function: Callable[..., Any]) -> None:
    """Report the hits and misses of a function with ``functools.lru_cache``."""
    _function_caches[name] = function


def publish_function_caches() -> None:
    """Add the new hits and misses of function caches, at most once every ``PUBLISH_SECONDS``."""
    global _published_at
    now = time.monotonic()
    if now < _published_at + PUBLISH_SECONDS:
        return
    _published_at = now
    for name, function in _function_caches.items():
        info = function.cache_info()
        old_hits, old_misses = _published.get(name, (0, 0))
        _published[name] = (info.hits, info.misses)
        # After ``cache_clear``, the numbers are lower than before.
        CACHE_READS.labels(name, "hit").inc(max(info.hits - old_hits, 0))
        CACHE_READS.labels(name, "miss").inc(max(info.misses - old_misses, 0))
