"""Which of somebody's posts to read, for ``posts.by_authors``: no index knows them, so they are looked for
among some of the person's posts at a time."""

from collections.abc import Collection

from pymongo import ASCENDING, DESCENDING

from .collections import Document, posts
from .posts import BY_AUTHOR, readable
from .rows import Bounds

EXAMINED = 2000


def only(*, with_pictures: bool = False, written: bool = False, tag: str = "") -> Document:
    """Of what somebody has posted: with pictures, without shares, with a hashtag."""
    wanted: Document = {}
    if with_pictures:
        wanted["media"] = {"$nin": [None, []]}
    if with_pictures or written:
        wanted["share_of"] = None
    if tag:
        wanted["entities"] = {"$elemMatch": {"kind": "hashtag", "value": tag}}
    return wanted


def examined(
    *,
    author: int,
    reader: int | None,
    bounds: Bounds,
    upwards: bool,
    kept_back: Collection[str],
) -> tuple[Bounds, int | None]:
    """The next ``EXAMINED`` posts within the bounds that the reader may read, as bounds; and the id to go
    on from, None if there are no more."""
    order = ASCENDING if upwards else DESCENDING
    query = {"author_id": author, **bounds.query, **readable(reader=reader, kept_back=kept_back)}
    found = posts().find(query, {"_id": 1}, hint=BY_AUTHOR)
    ends = [one["_id"] for one in found.sort("_id", order).skip(EXAMINED - 1).limit(1)]
    if not ends:
        return bounds, None
    end = int(ends[0])
    if upwards:
        return Bounds(above=bounds.above, below=end + 1), end
    return Bounds(above=end - 1, below=bounds.below), end
