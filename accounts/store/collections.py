"""The MongoDB collections of users and relationships, and pages of a list that is sorted by ``_id``."""

from functools import partial

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection

from accounts.infra.store.connection import Document, collection

users = partial(collection, "accounts_user")
access_tokens = partial(collection, "accounts_accesstoken")
follow_edges = partial(collection, "follow_edges")
audience_buckets = partial(collection, "audience_buckets")
follow_requests = partial(collection, "follow_requests")
blocks_and_mutes = partial(collection, "blocks_and_mutes")
user_notes = partial(collection, "user_notes")
pair_locks = partial(collection, "pair_locks")


def find_page(
    *,
    collection: Collection[Document],
    query: Document,
    below: int | None,
    above: int | None,
    limit: int,
) -> list[Document]:
    """Return up to ``limit`` documents, newest first.

    Without ``below``, ``above`` selects the oldest documents with larger ids: the page directly above the
    cursor. Otherwise returns the newest documents with ids below ``below`` and above ``above``.
    """
    id_range: Document = {}
    if below is not None:
        id_range["$lt"] = below
    if above is not None:
        id_range["$gt"] = above
    order = ASCENDING if above is not None and below is None else DESCENDING
    query = {**query, "_id": id_range} if id_range else query
    rows = list(collection.find(query).sort("_id", order).limit(limit))
    return rows[::-1] if order == ASCENDING else rows
