"""Which posts are about something: a hashtag, a person they mention, a host they link to.

    feed_post {..., entities: [{kind, value}]}        index (entities.kind, entities.value, _id)

The attribute pattern of MongoDB's schema advice: one multikey index answers every such question.
"""

from typing import Literal

from pymongo import ASCENDING, DESCENDING

from .collections import posts
from .posts import FIELDS, Bounds, PostRow, row_of

Kind = Literal["hashtag", "mention", "host"]

INDEX = [("entities.kind", ASCENDING), ("entities.value", ASCENDING), ("_id", DESCENDING)]


def ids_of(*, author: int, kind: str, value: int | str) -> list[int]:
    """The posts of one author that are about this: one command."""
    about = {"entities": {"$elemMatch": {"kind": kind, "value": value}}, "author_id": author}
    return [one["_id"] for one in posts().find(about, {"_id": 1})]


def prepare() -> None:
    posts().create_index(INDEX)


def posts_about(
    *, kind: Kind, value: str | int, bounds: Bounds, limit: int, upwards: bool = False
) -> list[PostRow]:
    """The newest public posts about it, newest first, or with ``upwards`` the oldest, oldest first."""
    order = ASCENDING if upwards else DESCENDING
    # One element must be both; without $elemMatch the index would be used for the kind alone.
    about = {"$elemMatch": {"kind": kind, "value": value}}
    found = posts().find({"entities": about, "visibility": "public", **bounds.query}, FIELDS)
    # The index of all public posts is in the same order, and may look as good to the planner.
    return [row_of(one) for one in found.sort("_id", order).limit(limit).hint(INDEX)]
