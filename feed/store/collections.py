"""The raw collections of the feed, from Django's own connection: one client, one pool."""

from typing import Any, cast

from django.db import connection
from pymongo.collection import Collection

Document = dict[str, Any]


def inbox_heads() -> Collection[Document]:
    return _collection("inbox_heads")


def inbox_buckets() -> Collection[Document]:
    return _collection("inbox_buckets")


def posts() -> Collection[Document]:
    return _collection("feed_post")


def demo_orders() -> Collection[Document]:
    return _collection("demo_orders")


def _collection(name: str) -> Collection[Document]:
    return cast("Collection[Document]", cast("Any", connection).database[name])
