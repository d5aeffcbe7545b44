"""Posts to single people, of whom one is asked for (``posts``, ``entities``)."""

from pymongo import ASCENDING, DESCENDING

from .collections import Document, posts
from .entities import INDEX
from .rows import FIELDS, Bounds, PostRow, row_of


def by_or_to(*, uid: int, bounds: Bounds, limit: int, upwards: bool = False) -> list[PostRow]:
    """Direct posts that somebody has written or that mention them, the newest first, or with ``upwards``
    the oldest: two commands, each by an index. Of older ones only those that mention them still."""
    order = ASCENDING if upwards else DESCENDING
    direct: Document = {"visibility": "direct", **bounds.query}
    mention = {"entities": {"$elemMatch": {"kind": "mention", "value": uid}}}
    to_them = posts().find({**mention, **direct}, FIELDS).hint(INDEX)
    by_them = posts().find({"author_id": uid, **direct}, FIELDS)
    found = {
        one["_id"]: one
        for some in (to_them, by_them)
        for one in some.sort("_id", order).limit(limit)
    }
    return [row_of(found[one]) for one in sorted(found, reverse=not upwards)][:limit]
