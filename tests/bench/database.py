"""A temporary database in place of the site's."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.dummy import DummyCache
from django.db import connection as django_connection

from accounts import user_cards
from feed.timeline import selection

connection: Any = django_connection  # the connection of MongoDB has a ``database``

Document = dict[str, Any]
Collection = Any  # a driver's collection; only stores import the driver

MARKER_COLLECTION = "feed_bench_was_here"
BATCH_SIZE = 10_000


class ForeignDatabase(RuntimeError):
    """A database of this name exists, and the benchmark did not create it."""


@contextmanager
def throwaway_database() -> Iterator[str]:
    """Switch Django's connection to the empty database ``<name>_bench`` and yield its name.

    The database is always dropped at the end. Remains of a killed run are dropped first. User cards of its
    users do not enter the site's cache. Do not create ids while it is in use, because its node leases are
    not those of the site.

    Raises ForeignDatabase, and the database errors of Django if there is no server.
    """
    connection.ensure_connection()
    site, site_name = connection.database, connection.settings_dict["NAME"]
    name = f"{site_name}_bench"
    database = site.client[name]
    collections = database.list_collection_names()
    if collections and MARKER_COLLECTION not in collections:
        raise ForeignDatabase(f"The database {name!r} is in use for something else.")
    site.client.drop_database(name)
    cards = caches["cards"]
    try:
        database.create_collection(MARKER_COLLECTION)
        # ``database`` is used now, ``settings_dict`` when Django reconnects.
        connection.database, connection.settings_dict["NAME"] = database, name
        caches["cards"] = DummyCache("", {})
        _clear_caches()
        yield name
    finally:
        connection.database, connection.settings_dict["NAME"] = site, site_name
        caches["cards"] = cards
        _clear_caches()
        site.client.drop_database(name)


def insert_batches(
    *, collection: Collection, documents: Iterable[Document], batch_size: int = BATCH_SIZE
) -> None:
    """Insert documents, at most ``batch_size`` in a command."""
    rest = iter(documents)
    while part := list(islice(rest, batch_size)):
        collection.insert_many(part, ordered=False)


def _clear_caches() -> None:
    """Clear the caches of this process, which belong to the other database."""
    user_cards.clear_cards()
    selection.clear_cache()
