"""Which posts are about something: a hashtag, a person they mention, a host they link to, a reviewed item.

    feed_post {..., entities: [{kind, value}]}        index (entities.kind, entities.value, _id)

The attribute pattern of MongoDB's schema advice: one multikey index answers every such question.
"""

from collections.abc import Sequence
from typing import Literal

from pymongo import ASCENDING, DESCENDING

from .collections import posts
from .post_rows import POST_FIELDS, IdRange, PostRow, post_row

AttributeKind = Literal["hashtag", "mention", "host", "item"]

ATTRIBUTE_INDEX = [("entities.kind", ASCENDING), ("entities.value", ASCENDING), ("_id", DESCENDING)]


def activities_about(*, kind: str, value: int | str) -> list[tuple[int, int]]:
    """(post, author) of what tells of something done, wherever it may be read: one command."""
    about = {"entities": {"$elemMatch": {"kind": kind, "value": value}}}
    found = posts().find(about, {"author_id": 1}).hint(ATTRIBUTE_INDEX)
    return [(one["_id"], one["author_id"]) for one in found]


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
    """The newest public posts about it, newest first, or with ``upwards`` the oldest, oldest first. Of
    several values one is enough; the index is read once for each, and merged."""
    order = ASCENDING if ascending else DESCENDING
    # One element must be both; without $elemMatch the index would be used for the kind alone.
    wanted = value if isinstance(value, str | int) else {"$in": list(value)}
    about = {"$elemMatch": {"kind": kind, "value": wanted}}
    found = posts().find({"entities": about, "visibility": "public", **id_range.query}, POST_FIELDS)
    # The index of all public posts is in the same order, and may look as good to the planner.
    return [post_row(one) for one in found.sort("_id", order).limit(limit).hint(ATTRIBUTE_INDEX)]
