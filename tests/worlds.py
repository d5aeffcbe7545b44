"""Build a site once per test process, and restore its documents for every test that needs the site.

    @world
    def busy_site() -> Busy: ...          # uses the site's own services

    busy = busy_site.restore()            # in a fixture: one ``insert_many`` per collection

The first ``restore`` builds the world and stores its documents in memory. The commands that build a
world do not count towards a test's budget of database commands. ``test_worlds.py`` builds every world
again and compares the result with the restored world.
"""

import copy
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import connection

from tests.database import NEVER_RESET, command_log, delete_leftovers, reset_process_caches

Built = TypeVar("Built")
Documents = dict[str, list[dict[str, Any]]]

WORLDS: list["World[Any]"] = []
"""The worlds of all modules that have been imported."""


class World(Generic[Built]):
    """A function that fills an empty site, and the documents that the function stored.

    Every test gets a copy of the function's return value. The value may therefore contain ids, users and
    rows, but no clients.
    """

    def __init__(self, build: Callable[[], Built], name: str) -> None:
        self.name = name
        self.build = build
        self._documents: Documents | None = None

    def restore(self) -> Built:
        """Fill the empty site with the documents of the world. Return a copy of the function's value."""
        if self._documents is None:
            with command_log.uncounted():
                delete_leftovers()
                self._built = self.build()
                self._documents = stored_documents()
            reset_process_caches()
        else:
            for collection, documents in self._documents.items():
                connection.database[collection].insert_many(documents)
        command_log.changed.clear()
        return copy.deepcopy(self._built)

    def undo_changes(self) -> None:
        """Restore the collections that this process changed since the world was restored."""
        assert self._documents is not None, "restore the world first"
        if not command_log.changed:
            return
        with command_log.uncounted():
            for collection in sorted(command_log.changed - NEVER_RESET):
                connection.database[collection].delete_many({})
                if documents := self._documents.get(collection):
                    connection.database[collection].insert_many(documents)
        command_log.changed.clear()
        reset_process_caches()


def world(build: Callable[[], Built], name: str = "") -> World[Built]:
    """Return the world that this function builds. Use ``world`` as a decorator."""
    new_world = World(build, name or f"{build.__module__}.{build.__qualname__}")
    WORLDS.append(new_world)
    return new_world


def stored_documents() -> Documents:
    """Return the documents of the collections that this test has written to, by collection."""
    documents_of = {
        name: list(connection.database[name].find())
        for name in sorted(command_log.written - NEVER_RESET)
    }
    return {name: documents for name, documents in documents_of.items() if documents}
