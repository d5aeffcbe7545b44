"""A database to do with as one likes, in the place of the site's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection as django_connection

connection: Any = django_connection  # MongoDB's has a ``database``

MARK = "feed_bench_was_here"


class NotOurs(RuntimeError):
    """A database of that name exists and no bench made it."""


@contextmanager
def throwaway_database() -> Iterator[str]:
    """While this lasts, Django's connection means the database ``<name>_bench``; yields its name.

    It is empty at first and is dropped at the end, whatever happens; what a killed run left is
    dropped too. Ids must not be made in it, for its node leases are not the site's. Raises NotOurs,
    and Django's database errors where there is no server.
    """
    connection.ensure_connection()
    site, site_name = connection.database, connection.settings_dict["NAME"]
    name = f"{site_name}_bench"
    database = site.client[name]
    found = database.list_collection_names()
    if found and MARK not in found:
        raise NotOurs(f"The database {name!r} is in use for something else.")
    site.client.drop_database(name)
    try:
        database.create_collection(MARK)
        # Both: the one is used now, the other if the connection is made anew.
        connection.database, connection.settings_dict["NAME"] = database, name
        yield name
    finally:
        connection.database, connection.settings_dict["NAME"] = site, site_name
        site.client.drop_database(name)
