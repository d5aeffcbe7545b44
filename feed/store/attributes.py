"""Find posts by their attributes: hashtags, mentioned users, linked hosts, reviewed items.

    feed_post {..., attributes: [{kind, value}]}        index (attributes.kind, attributes.value, _id)

The attribute pattern of MongoDB's schema advice: one multikey index serves all these queries.
"""

from collections.abc import Sequence
from typing import Literal

from pymongo import ASCENDING, DESCENDING

from .collections import posts
from .post_rows import POST_FIELDS, IdRange, PostRow, post_row

AttributeKind = Literal["hashtag", "mention", "host", "item"]

ATTRIBUTE_INDEX = [
    ("attributes.kind", ASCENDING),
    ("attributes.value", ASCENDING),
    ("_id", DESCENDING),
]


def activities_about(*, kind: str, value: int | str) -> list[tuple[int, int]]:
    """Return (post, author) of all activities with this attribute, of any visibility: one command."""
    about = {"attributes": {"$elemMatch": {"kind": kind, "value": value}}}
    documents = posts().find(about, {"author_id": 1}).hint(ATTRIBUTE_INDEX)
    return [(document["_id"], document["author_id"]) for document in documents]


def create_indexes() -> None:
    posts().create_index(ATTRIBUTE_INDEX)


def posts_about(
    *,
    kind: AttributeKind,
    value: str | int | Sequence[str],
    id_range: IdRange,
    limit: int,
    ascending: bool = False,
) -> list[PostRow]:
    """Return the newest public posts with this attribute, or the oldest first if ``ascending``.

    A post matches if it has any of several values. The index is read once per value and merged.
    """
    order = ASCENDING if ascending else DESCENDING
    # Without $elemMatch, kind and value could be in different elements and the index serve only the kind.
    value_query = value if isinstance(value, str | int) else {"$in": list(value)}
    about = {"$elemMatch": {"kind": kind, "value": value_query}}
    documents = posts().find(
        {"attributes": about, "visibility": "public", **id_range.query}, POST_FIELDS
    )
    # The index of all public posts has the same order, so the planner might choose it.
    return [
        post_row(document)
        for document in documents.sort("_id", order).limit(limit).hint(ATTRIBUTE_INDEX)
    ]
