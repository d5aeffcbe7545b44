"""The raw collections of the feed, from Django's own connection: one client, one pool."""

from typing import Any, cast

from django.db import connection
from pymongo.client_session import ClientSession
from pymongo.collection import Collection

Document = dict[str, Any]


def inbox_heads() -> Collection[Document]:
    return _collection("inbox_heads")


def inbox_buckets() -> Collection[Document]:
    return _collection("inbox_buckets")


def posts() -> Collection[Document]:
    return _collection("feed_post")


def shares() -> Collection[Document]:
    return _collection("shares")


def like_buckets() -> Collection[Document]:
    return _collection("like_buckets")


def comment_buckets() -> Collection[Document]:
    return _collection("comment_buckets")


def revisions() -> Collection[Document]:
    return _collection("revisions")


def bookmarks() -> Collection[Document]:
    return _collection("bookmarks")


def pins() -> Collection[Document]:
    return _collection("pins")


def people_lists() -> Collection[Document]:
    return _collection("people_lists")


def forgetting() -> Collection[Document]:
    return _collection("forgetting")


def publish_keys() -> Collection[Document]:
    return _collection("publish_keys")


def reading_positions() -> Collection[Document]:
    return _collection("reading_positions")


def large_authors() -> Collection[Document]:
    return _collection("large_authors")


def tags() -> Collection[Document]:
    return _collection("tags")


def tag_authors() -> Collection[Document]:
    return _collection("tag_authors")


def inbox_readers() -> Collection[Document]:
    return _collection("inbox_readers")


def inbox_entries() -> Collection[Document]:
    return _collection("inbox_entries")


def counted_readers() -> Collection[Document]:
    return _collection("counted_readers")


def counted_buckets() -> Collection[Document]:
    return _collection("counted_buckets")


def feed_switch() -> Collection[Document]:
    return _collection("feed_switch")


def merged_posts() -> Collection[Document]:
    return _collection("merged_posts")


def said() -> Collection[Document]:
    return _collection("said")


def stat_hours() -> Collection[Document]:
    return _collection("stat_hours")


def stat_days() -> Collection[Document]:
    return _collection("stat_days")


def counted_viewers() -> Collection[Document]:
    return _collection("counted_viewers")


def counted_viewer_keys() -> Collection[Document]:
    return _collection("counted_viewer_keys")


def active_hours() -> Collection[Document]:
    return _collection("active_hours")


def demo_orders() -> Collection[Document]:
    return _collection("demo_orders")


def session() -> ClientSession | None:
    """The session of the transaction we are in, if any; every write that belongs to it passes it."""
    return cast("ClientSession | None", cast("Any", connection).session)


def _collection(name: str) -> Collection[Document]:
    return cast("Collection[Document]", cast("Any", connection).database[name])
