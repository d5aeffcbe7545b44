"""Access to MongoDB over Django's connection. All stores share one client and one connection pool."""

from datetime import UTC, datetime
from typing import Any, cast

from django.db import connection
from pymongo.client_session import ClientSession
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

Document = dict[str, Any]


def collection(name: str) -> Collection[Document]:
    return cast("Collection[Document]", cast("Any", connection).collection(name))


def database() -> Database[Document]:
    return cast("Database[Document]", cast("Any", connection).database)


def upsert(*, collection: Collection[Document], query: Document, change: Any) -> bool:
    """Update the document that matches the query, or insert it. One command, rarely two.

    Return False and change nothing if a document with this key exists, but does not match the query.
    """
    try:
        collection.update_one(query, change, upsert=True)
    except DuplicateKeyError:  # it does not match, or another process just inserted it
        return bool(collection.update_one(query, change).matched_count)
    return True


def aware(moment: Any) -> datetime | None:
    """Return a stored time as an aware one. None stays None."""
    return None if moment is None else moment.replace(tzinfo=UTC)


def session() -> ClientSession | None:
    """Return the session of the current transaction, or None outside of a transaction.

    A raw command without this session would not be part of the transaction.
    """
    return cast("ClientSession | None", cast("Any", connection).session)
