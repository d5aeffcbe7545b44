"""The PyMongo collections of the feed. They use Django's connection and its connection pool."""

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


def vote_buckets() -> Collection[Document]:
    return collection("vote_buckets")


def comment_buckets() -> Collection[Document]:
    return collection("comment_buckets")


def revisions() -> Collection[Document]:
    return collection("revisions")


def bookmarks() -> Collection[Document]:
    return collection("bookmarks")


def conversations() -> Collection[Document]:
    return collection("conversations")


def drafts() -> Collection[Document]:
    return collection("drafts")


def pins() -> Collection[Document]:
    return collection("pins")


def user_lists() -> Collection[Document]:
    return collection("user_lists")


def pending_cleanups() -> Collection[Document]:
    return collection("pending_cleanups")


def idempotency_keys() -> Collection[Document]:
    return collection("idempotency_keys")


def home_states() -> Collection[Document]:
    return collection("home_states")


def large_authors() -> Collection[Document]:
    return collection("large_authors")


def tags() -> Collection[Document]:
    return collection("tags")


def tag_authors() -> Collection[Document]:
    return collection("tag_authors")


def entry_heads() -> Collection[Document]:
    return collection("entry_heads")


def inbox_entries() -> Collection[Document]:
    return collection("inbox_entries")


def counted_heads() -> Collection[Document]:
    return collection("counted_heads")


def counted_buckets() -> Collection[Document]:
    return collection("counted_buckets")


def strategy_switch() -> Collection[Document]:
    return collection("strategy_switch")


def merged_posts() -> Collection[Document]:
    return collection("merged_posts")


def text_fingerprints() -> Collection[Document]:
    return collection("text_fingerprints")


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


def link_cards() -> Collection[Document]:
    return collection("link_cards")


def demo_specs() -> Collection[Document]:
    return collection("demo_specs")
