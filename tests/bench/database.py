"""A database to do with as one likes, in the place of the site's."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.dummy import DummyCache
from django.db import connection as django_connection

from accounts import user_cards
from feed.timeline import selection

connection: Any = django_connection  # MongoDB's has a ``database``

Document = dict[str, Any]
Collection = Any  # a driver's collection; only stores import the driver

MARKER_COLLECTION = "feed_bench_was_here"
BATCH_SIZE = 10_000


class ForeignDatabase(RuntimeError):
    """A database of that name exists and no bench made it."""


@contextmanager
def throwaway_database() -> Iterator[str]:
    """While this lasts, Django's connection means the database ``<name>_bench``; yields its name.

    It is empty at first and is dropped at the end, whatever happens; what a killed run left is
    dropped too. Ids must not be made in it, for its node leases are not the site's. Names of the people
    in it do not get into the site's cache. Raises NotOurs, and Django's database errors where there is
    no server.
    """
    connection.ensure_connection()
    site, site_name = connection.database, connection.settings_dict["NAME"]
    name = f"{site_name}_bench"
    database = site.client[name]
    result = database.list_collection_names()
    if result and MARKER_COLLECTION not in result:
        raise ForeignDatabase(f"The database {name!r} is in use for something else.")
    site.client.drop_database(name)
    cards = caches["cards"]
    try:
        database.create_collection(MARKER_COLLECTION)
        # Both: the one is used now, the other if the connection is made anew.
        connection.database, connection.settings_dict["NAME"] = database, name
        caches["cards"] = DummyCache("", {})
        _forget()
        yield name
    finally:
        connection.database, connection.settings_dict["NAME"] = site, site_name
        caches["cards"] = cards
        _forget()
        site.client.drop_database(name)


def insert_batches(
    *, collection: Collection, documents: Iterable[Document], batch_size: int = BATCH_SIZE
) -> None:
    """Many documents, so many in a command."""
    rest = iter(documents)
    while part := list(islice(rest, batch_size)):
        collection.insert_many(part, ordered=False)


def _forget() -> None:
    """What this process remembers is of the other database."""
    user_cards.clear_cards()
    selection.clear_cache()
