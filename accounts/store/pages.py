"""Pages of a list that is sorted by ``_id``, newest first, in either direction from a cursor."""

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection

from accounts.infra.store.connection import Document


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
