"""MongoDB over Django's own connection, for the stores of all apps: one client, one pool."""

from typing import Any, cast

from django.db import connection
from pymongo.client_session import ClientSession
from pymongo.collection import Collection
from pymongo.database import Database

Document = dict[str, Any]


def collection(name: str) -> Collection[Document]:
    return database()[name]


def database() -> Database[Document]:
    return cast("Database[Document]", cast("Any", connection).database)


def session() -> ClientSession | None:
    """Return the session of the current transaction, if any. A write inside it must pass it on."""
    return cast("ClientSession | None", cast("Any", connection).session)
