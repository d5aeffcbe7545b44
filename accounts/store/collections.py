"""The MongoDB collections of users and relationships, and pages of a list that is sorted by ``_id``."""

from functools import partial

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection

from accounts.infra.cursors import PageBounds
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
    *, collection: Collection[Document], query: Document, bounds: PageBounds
) -> list[Document]:
    """Return a page of documents, newest first. With ``min_id`` only, read upwards from the cursor."""
    id_range: Document = {}
    if bounds.max_id is not None:
        id_range["$lt"] = bounds.max_id
    if bounds.min_id is not None or bounds.since_id is not None:
        id_range["$gt"] = bounds.lower_bound
    query = {**query, "_id": id_range} if id_range else query
    rows = collection.find(query).limit(bounds.limit)
    if bounds.is_upward:
        return list(rows.sort("_id", ASCENDING))[::-1]
    return list(rows.sort("_id", DESCENDING))
