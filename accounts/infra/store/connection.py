"""Access to MongoDB over Django's connection. All stores share one client and one connection pool."""

from typing import Any, cast

from django.db import connection
from pymongo.client_session import ClientSession
from pymongo.collection import Collection
from pymongo.database import Database

Document = dict[str, Any]


def collection(name: str) -> Collection[Document]:
    return cast("Collection[Document]", cast("Any", connection).collection(name))


def database() -> Database[Document]:
    return cast("Database[Document]", cast("Any", connection).database)


def session() -> ClientSession | None:
    """Return the session of the current transaction, or None outside of a transaction.

    A raw command without this session would not be part of the transaction.
    """
    return cast("ClientSession | None", cast("Any", connection).session)
