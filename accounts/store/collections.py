"""The raw collections of the follow graph, from Django's own connection: one client, one pool."""

from typing import Any, cast

from django.db import connection
from pymongo.client_session import ClientSession
from pymongo.collection import Collection

Document = dict[str, Any]


def follow_edges() -> Collection[Document]:
    return _collection("follow_edges")


def audience_buckets() -> Collection[Document]:
    return _collection("audience_buckets")


def session() -> ClientSession | None:
    """The session of the transaction we are in, if any; every write of the graph passes it."""
    return cast("ClientSession | None", cast("Any", connection).session)


def _collection(name: str) -> Collection[Document]:
    return cast("Collection[Document]", cast("Any", connection).database[name])
