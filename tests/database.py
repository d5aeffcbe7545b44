"""The test database: a log of the commands sent to it, and the reset between tests.

The reset only empties collections that were written to since the last reset. The command listener sees
every write of this process, but no write of other processes. If a test started a process, the reset
therefore asks the server which collections changed.
"""

import resource
import threading
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymongo.monitoring
from django.conf import settings
from django.core.cache import caches
from django.db import connection

from accounts import user_cards
from accounts.brand.current import clear_brand_cache
from accounts.selectors import access_tokens, blocklists
from feed import stats
from feed.selectors import user_counts
from feed.timeline import selection, threads
from socialsite.engine.cache import MongoCache
from socialsite.moderation import decisions

Command = tuple[str, dict[str, Any]]

WRITES = {"insert", "update", "delete", "findAndModify"}
NEVER_RESET = {"django_migrations", "django_content_type", "auth_permission", "node_leases"}


class CommandLog(pymongo.monitoring.CommandListener):
    """A log of the commands that any client of this process sends.

    Two kinds of commands are neither counted nor recorded:

    - Commands of threads that started before the test, such as a stream of an earlier test that is still
      ending.
    - Renewals of the process's lease for ids, because their number depends on the clock.

    ``written`` and ``changed`` include the collections that these commands write to.

    Attributes:
        count: number of commands since the test began.
        written: collections written to since they were last reset.
        changed: collections written to since a world was last restored (``tests/worlds.py``).
    """

    def __init__(self) -> None:
        self.count = 0
        self.written: set[str] = set()
        self.changed: set[str] = set()
        self._older_threads: frozenset[threading.Thread] = frozenset()
        self._recordings: list[tuple[list[Command], bool]] = []

    def start_count(self) -> None:
        """Reset ``count`` at the beginning of a test."""
        # The set contains thread objects, because a new thread may get the number of an ended thread. The
        # threads of the pool only work while a test waits for them.
        self._older_threads = frozenset(
            thread
            for thread in threading.enumerate()
            if thread is not threading.current_thread()
            and not thread.name.startswith(threads.NAME_PREFIX)
        )
        self.count = 0

    def started(self, event: Any) -> None:
        if collection := _written_collection(event):
            self.written.add(collection)
            self.changed.add(collection)
        if threading.current_thread() in self._older_threads:
            return
        is_renewal = event.command.get(event.command_name) == "node_leases"
        self.count += not is_renewal
        for recording, has_renewals in self._recordings:
            if has_renewals or not is_renewal:
                recording.append((event.command_name, dict(event.command)))

    def succeeded(self, event: Any) -> None:
        pass

    def failed(self, event: Any) -> None:
        pass

    @contextmanager
    def record(self, *, has_renewals: bool = False) -> Iterator[list[Command]]:
        """Collect commands, with ``has_renewals`` also the renewals of the lease for ids."""
        recording: list[Command] = []
        self._recordings.append((recording, has_renewals))
        try:
            yield recording
        finally:
            self._recordings = [other for other in self._recordings if other[0] is not recording]

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Exclude the commands of this block from ``count``."""
        count = self.count
        try:
            yield
        finally:
            self.count = count


def _written_collection(event: Any) -> str | None:
    if event.database_name != settings.DATABASES["default"]["NAME"]:
        return None
    if event.command_name in WRITES:
        return str(event.command[event.command_name])
    if event.command_name == "aggregate":
        last = (event.command["pipeline"] or [{}])[-1]
        if "$out" in last:
            return str(last["$out"])
        if "$merge" in last:
            into = last["$merge"]["into"]
            return str(into["coll"] if isinstance(into, dict) else into)
    return None


command_log = CommandLog()
# Register the listener on import, because only clients that are created afterwards use the listener.
pymongo.monitoring.register(command_log)


def reset_database(*, keep: Set[str] = frozenset()) -> None:
    """Empty every collection that any process has written to since the last reset.

    Args:
        keep: collections to leave unchanged, in addition to ``NEVER_RESET``.
    """
    collections = set(command_log.written)
    if _other_processes_ran():
        collections |= _changed_collections()
    for name in collections - NEVER_RESET - keep:
        connection.database[name].delete_many({})
        command_log.written.discard(name)


def delete_leftovers() -> None:
    """Empty every collection that this process has not written to since the last reset.

    Call this before building a world. A child process of an earlier test may have written after the reset,
    for example a migration that creates the moderator groups.
    """
    names = connection.database.list_collection_names(filter={"type": "collection"})
    for name in set(names) - command_log.written - NEVER_RESET:
        if not name.startswith("system."):
            connection.database[name].delete_many({})


def copy_empty_site(*, source: Any, target: Any) -> None:
    """Create the collections and indexes of a migrated database in a new one. ``migrate`` takes longer."""
    for collection in source.list_collections(filter={"type": "collection"}):
        name = collection["name"]
        if name.startswith("system."):
            continue
        target.create_collection(name, **collection["options"])
        if indexes := [index for index in source[name].list_indexes() if index["name"] != "_id_"]:
            target.command({"createIndexes": name, "indexes": indexes})
        if name in NEVER_RESET:
            target[name].insert_many(source[name].find())


def reset_process_caches() -> None:
    """Clear the caches of this process that hold data from the database."""
    user_cards.clear_cards()
    user_counts.clear_process_cache()
    access_tokens.clear_cache()
    selection.clear_cache()
    stats.reset()
    decisions.clear_announcements_cache()
    clear_brand_cache()
    blocklists.clear_network_cache()
    for cache in caches.all(initialized_only=True):
        if not isinstance(cache, MongoCache):  # ``reset_database`` empties its collection
            cache.clear()


_children_before: frozenset[str] = frozenset()
_usage_before: tuple[float, ...] = ()


def watch_processes() -> None:
    """Ignore the child processes that are running now, such as the test server, in later resets."""
    global _children_before, _usage_before
    _children_before, _usage_before = _children(), _usage_of_ended_children()


def _other_processes_ran() -> bool:
    """Return whether a child process is alive or has ended since the last call."""
    global _usage_before
    usage = _usage_of_ended_children()
    has_ended = usage != _usage_before
    _usage_before = usage
    return has_ended or bool(_children() - _children_before)


def _usage_of_ended_children() -> tuple[float, ...]:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime, usage.ru_stime, usage.ru_minflt


def _children() -> frozenset[str]:
    """Return the process ids of the children of all threads of this process."""
    return frozenset(
        pid for file in Path("/proc/self/task").glob("*/children") for pid in _read(file).split()
    )


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except FileNotFoundError:  # the thread has ended
        return ""


_locks_seen: dict[str, Any] = {}


def _changed_collections() -> set[str]:
    """Return the collections that any process locked for writing since the last call.

    The server's ``top`` command counts the write locks of each collection.
    """
    database = connection.database
    prefix = f"{database.name}."
    write_locks = {
        name.removeprefix(prefix): totals["writeLock"]
        for name, totals in database.client.admin.command("top")["totals"].items()
        if name.startswith(prefix)
    }
    changed = {name for name, locks in write_locks.items() if locks != _locks_seen.get(name)}
    _locks_seen.clear()
    _locks_seen.update(write_locks)
    return {name for name in changed if not name.startswith("system.")}
