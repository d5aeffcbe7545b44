"""Find posts by their attributes: hashtags, mentioned users, linked hosts, reviewed items, languages.

    feed_post {..., attributes: [{kind, value}]}        index (attributes.kind, attributes.value, _id)

This is the attribute pattern of MongoDB's schema advice. One multikey index serves all these queries.
"""

from collections.abc import Sequence
from typing import Literal

from pymongo import ASCENDING, DESCENDING

from .collections import posts
from .post_rows import POST_FIELDS, IdRange, PostRow, post_row

AttributeKind = Literal["hashtag", "mention", "host", "item", "language"]

ATTRIBUTE_INDEX = [
    ("attributes.kind", ASCENDING),
    ("attributes.value", ASCENDING),
    ("_id", DESCENDING),
]


def activities_about(*, kind: str, value: int | str) -> list[tuple[int, int]]:
    """Return ``(post_id, author_id)`` of all posts with this attribute, of any visibility. One command."""
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

    If ``value`` is a sequence, a post needs only one of its values. The server reads the index once per
    value and merges the results, so no query sorts all matching posts.
    """
    order = ASCENDING if ascending else DESCENDING
    # Without $elemMatch, a post would match whose kind and value are in different elements, and the
    # server would use only the kind to search the index.
    value_query = value if isinstance(value, str | int) else {"$in": list(value)}
    about = {"$elemMatch": {"kind": kind, "value": value_query}}
    documents = posts().find(
        {"attributes": about, "visibility": "public", **id_range.query}, POST_FIELDS
    )
    # The hint is needed because the planner might choose the index of all public posts, which has the
    # same order, and then read many posts without the attribute.
    return [
        post_row(document)
        for document in documents.sort("_id", order).limit(limit).hint(ATTRIBUTE_INDEX)
    ]
