"""The raw collections of the follow graph, from Django's own connection: one client, one pool."""

from typing import Any, cast

from django.db import connection
from pymongo.client_session import ClientSession
from pymongo.collection import Collection

Document = dict[str, Any]


def follow_edges() -> Collection[Document]:
    return cast("Collection[Document]", connection.database["follow_edges"])


def audience_buckets() -> Collection[Document]:
    return cast("Collection[Document]", connection.database["audience_buckets"])


def session() -> ClientSession | None:
    """The session of the transaction we are in, if any; every write of the graph passes it."""
    return cast("ClientSession | None", connection.session)
