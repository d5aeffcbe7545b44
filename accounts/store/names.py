"""Finding people by how their user name or name begins.

    accounts_user {..., username, display_name}       an index of each, with a collation

By the collation, capitals, accents and the width of letters make no difference, in any script (Unicode's
root order, primary strength). So what people are called is kept once, as they write it.
"""

from pymongo import ASCENDING
from pymongo.collation import Collation, CollationStrength

from .collections import Document, people

FIELDS = ("username", "display_name")
COLLATION = Collation("en", strength=CollationStrength.PRIMARY)
LAST = "\uffff"
"""Comes after every character in Unicode's collation, made for ends of ranges (UTS #35)."""


def prepare() -> None:
    for field in FIELDS:
        people().create_index([(field, ASCENDING)], name=f"{field}_begins", collation=COLLATION)


def beginning_with(*, text: str, limit: int) -> list[int]:
    """Up to ``limit`` people whose user name, and as many whose name begins so, each once and by the
    alphabet; without those whose accounts are closed. One command."""
    first, second = (_part(field, text, limit) for field in FIELDS)
    found = people().aggregate(
        [*first, {"$unionWith": {"coll": people().name, "pipeline": second}}],
        collation=COLLATION,
        batchSize=2 * limit + 1,
    )
    return list(dict.fromkeys(one["_id"] for one in found))


def _part(field: str, text: str, limit: int) -> list[Document]:
    begins = {"$gte": text, "$lt": text + LAST}
    return [
        {"$match": {field: begins, "is_active": True}},
        {"$sort": {field: ASCENDING}},
        {"$limit": limit},
        {"$project": {"_id": 1}},
    ]
