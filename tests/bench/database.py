"""A temporary database that replaces the site's database during the benchmark."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.dummy import DummyCache
from django.db import connection as django_connection

from accounts import user_cards
from feed.timeline import selection

connection: Any = (
    django_connection  # Any, because the attribute ``database`` exists only for MongoDB
)

Document = dict[str, Any]
Collection = Any  # a collection of PyMongo, which only stores may import

MARKER_COLLECTION = "feed_bench_was_here"
BATCH_SIZE = 10_000


class ForeignDatabase(RuntimeError):
    """A database with the name of the temporary database exists, but was not created by the benchmark."""


@contextmanager
def throwaway_database() -> Iterator[str]:
    """Switch Django's connection to the empty database ``<name>_bench`` and yield its name.

    The database is always dropped at the end. If a killed run has left a database, it is dropped first. The
    cache of user cards is disabled, so that it gets no cards of users in this database. Do not call
    ``new_id`` inside this context, because this database does not have the site's node leases.

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
        # Queries use ``database``. Django uses ``settings_dict`` when it reconnects.
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
    """Clear the caches of this process, which have data of the previous database."""
    user_cards.clear_cards()
    selection.clear_cache()
