"""Which posts are about something: a hashtag, a person they mention, a host they link to, a reviewed item.

    feed_post {..., entities: [{kind, value}]}        index (entities.kind, entities.value, _id)

The attribute pattern of MongoDB's schema advice: one multikey index answers every such question.
"""

from collections.abc import Sequence
from typing import Literal

from pymongo import ASCENDING, DESCENDING

from .collections import posts
from .rows import FIELDS, Bounds, PostRow, row_of

Kind = Literal["hashtag", "mention", "host", "item"]

INDEX = [("entities.kind", ASCENDING), ("entities.value", ASCENDING), ("_id", DESCENDING)]


def telling_of(*, kind: str, value: int | str) -> list[tuple[int, int]]:
    """(post, author) of what tells of something done, wherever it may be read: one command."""
    about = {"entities": {"$elemMatch": {"kind": kind, "value": value}}}
    found = posts().find(about, {"author_id": 1}).hint(INDEX)
    return [(one["_id"], one["author_id"]) for one in found]


def prepare() -> None:
    posts().create_index(INDEX)


def posts_about(
    *,
    kind: Kind,
    value: str | int | Sequence[str],
    bounds: Bounds,
    limit: int,
    upwards: bool = False,
) -> list[PostRow]:
    """The newest public posts about it, newest first, or with ``upwards`` the oldest, oldest first. Of
    several values one is enough; the index is read once for each, and merged."""
    order = ASCENDING if upwards else DESCENDING
    # One element must be both; without $elemMatch the index would be used for the kind alone.
    wanted = value if isinstance(value, str | int) else {"$in": list(value)}
    about = {"$elemMatch": {"kind": kind, "value": wanted}}
    found = posts().find({"entities": about, "visibility": "public", **bounds.query}, FIELDS)
    # The index of all public posts is in the same order, and may look as good to the planner.
    return [row_of(one) for one in found.sort("_id", order).limit(limit).hint(INDEX)]
