"""The raw collections of the feed, from Django's own connection: one client, one pool."""

from pymongo.collection import Collection

from accounts.infra.store.connection import Document, collection


def inbox_heads() -> Collection[Document]:
    return collection("inbox_heads")


def inbox_buckets() -> Collection[Document]:
    return collection("inbox_buckets")


def posts() -> Collection[Document]:
    return collection("feed_post")


def shares() -> Collection[Document]:
    return collection("shares")


def like_buckets() -> Collection[Document]:
    return collection("like_buckets")


def comment_buckets() -> Collection[Document]:
    return collection("comment_buckets")


def revisions() -> Collection[Document]:
    return collection("revisions")


def bookmarks() -> Collection[Document]:
    return collection("bookmarks")


def pins() -> Collection[Document]:
    return collection("pins")


def people_lists() -> Collection[Document]:
    return collection("people_lists")


def forgetting() -> Collection[Document]:
    return collection("forgetting")


def publish_keys() -> Collection[Document]:
    return collection("publish_keys")


def reading_positions() -> Collection[Document]:
    return collection("reading_positions")


def large_authors() -> Collection[Document]:
    return collection("large_authors")


def tags() -> Collection[Document]:
    return collection("tags")


def tag_authors() -> Collection[Document]:
    return collection("tag_authors")


def inbox_readers() -> Collection[Document]:
    return collection("inbox_readers")


def inbox_entries() -> Collection[Document]:
    return collection("inbox_entries")


def counted_readers() -> Collection[Document]:
    return collection("counted_readers")


def counted_buckets() -> Collection[Document]:
    return collection("counted_buckets")


def feed_switch() -> Collection[Document]:
    return collection("feed_switch")


def merged_posts() -> Collection[Document]:
    return collection("merged_posts")


def said() -> Collection[Document]:
    return collection("said")


def stat_hours() -> Collection[Document]:
    return collection("stat_hours")


def stat_days() -> Collection[Document]:
    return collection("stat_days")


def counted_viewers() -> Collection[Document]:
    return collection("counted_viewers")


def counted_viewer_keys() -> Collection[Document]:
    return collection("counted_viewer_keys")


def active_hours() -> Collection[Document]:
    return collection("active_hours")


def demo_orders() -> Collection[Document]:
    return collection("demo_orders")
