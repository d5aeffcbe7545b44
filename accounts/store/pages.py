"""One page of a list that is kept newest first by ``_id``, read from either side of a cursor."""

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection

from .collections import Document


def find_page(
    *,
    collection: Collection[Document],
    query: Document,
    below: int | None,
    above: int | None,
    limit: int,
) -> list[Document]:
    """The newest, newest first: ``limit`` documents older than ``below``, or, with ``above`` alone,
    those just newer than it."""
    ids: Document = {}
    if below is not None:
        ids["$lt"] = below
    if above is not None:
        ids["$gt"] = above
    order = ASCENDING if above is not None and below is None else DESCENDING
    wanted = {**query, "_id": ids} if ids else query
    found = list(collection.find(wanted).sort("_id", order).limit(limit))
    return found[::-1] if order == ASCENDING else found
