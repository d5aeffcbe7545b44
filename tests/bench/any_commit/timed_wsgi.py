"""The WSGI application of the site, which reports the cost of each request.

The header ``Server-Timing`` (https://www.w3.org/TR/server-timing/) of each response contains the total
time, the CPU time of the thread and the time of the database commands, in milliseconds, and the number of
commands.
"""

import os
from collections.abc import Callable, Iterable
from threading import local
from time import perf_counter, thread_time
from typing import Any

from django.core.wsgi import get_wsgi_application
from pymongo import monitoring

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class _DatabaseTime(monitoring.CommandListener):
    """Counters of the database commands of this thread, and of the milliseconds it has waited for them."""

    def __init__(self) -> None:
        self.thread = local()

    def started(self, event: monitoring.CommandStartedEvent) -> None: ...

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        self._count(event.duration_micros)

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        self._count(event.duration_micros)

    def _count(self, microseconds: int) -> None:
        self.thread.ms = self.ms + microseconds / 1000
        self.thread.commands = self.commands + 1

    @property
    def commands(self) -> int:
        number: int = getattr(self.thread, "commands", 0)
        return number

    @property
    def ms(self) -> float:
        milliseconds: float = getattr(self.thread, "ms", 0.0)
        return milliseconds


_database_time = _DatabaseTime()
# Register before the first client is created, because clients ignore later listeners.
monitoring.register(_database_time)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
site = get_wsgi_application()

from accounts.selectors import blocklists  # noqa: E402 - needs the site

# A process reloads the blocked networks every few seconds. On a slow machine this would affect each
# measured response.
blocklists.CACHE_SECONDS = float("inf")


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    began, cpu_before = perf_counter(), thread_time()
    waited, commands_before = _database_time.ms, _database_time.commands

    def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        total_ms, database_ms = (perf_counter() - began) * 1000, _database_time.ms - waited
        cpu_ms = (thread_time() - cpu_before) * 1000
        commands = _database_time.commands - commands_before
        timing = f"total;dur={total_ms:.3f}, cpu;dur={cpu_ms:.3f}"
        timing += f', db;dur={database_ms:.3f};desc="{commands}"'
        return start_response(status, [*headers, ("Server-Timing", timing)], *rest)

    response: Iterable[bytes] = site(environ, start)
    return response
