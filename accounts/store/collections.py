"""The raw collections of people's relationships, from Django's own connection: one client, one pool."""

from typing import Any, cast

from django.db import connection
from pymongo.client_session import ClientSession
from pymongo.collection import Collection
from pymongo.database import Database

Document = dict[str, Any]


def users() -> Collection[Document]:
    return _collection("accounts_user")


def follow_edges() -> Collection[Document]:
    return _collection("follow_edges")


def audience_buckets() -> Collection[Document]:
    return _collection("audience_buckets")


def follow_requests() -> Collection[Document]:
    return _collection("follow_requests")


def blocks_and_mutes() -> Collection[Document]:
    return _collection("boundaries")


def pair_locks() -> Collection[Document]:
    return _collection("pair_locks")


def action_counts() -> Collection[Document]:
    return _collection("action_counts")


def session() -> ClientSession | None:
    """The session of the transaction we are in, if any; every write of the graph passes it."""
    return cast("ClientSession | None", cast("Any", connection).session)


def database() -> Database[Document]:
    return cast("Database[Document]", cast("Any", connection).database)


def _collection(name: str) -> Collection[Document]:
    return database()[name]
