"""One page of a list, newest first by ``_id``, read from either side of a cursor."""

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
    """Return ``limit`` documents, newest first.

    With ``below`` they are the newest with smaller ids. With ``above`` alone they are those next to
    it, just newer.
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
