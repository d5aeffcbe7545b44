"""What people keep to read again: ``bookmarks {_id, owner, post}``, unique (owner, post).

``post`` is the id of a post or of a comment, as in ``likes``.
Ids grow with time, so the newest come first by id; nobody but the owner ever sees one.
"""

from collections.abc import Collection
from dataclasses import dataclass

from pymongo import ASCENDING, DESCENDING
from pymongo.errors import DuplicateKeyError

from .collections import bookmarks
from .rows import Bounds


@dataclass(frozen=True, slots=True)
class Bookmark:
    id: int
    post: int


def prepare() -> None:
    bookmarks().create_index([("owner", ASCENDING), ("post", ASCENDING)], unique=True)
    bookmarks().create_index([("owner", ASCENDING), ("_id", DESCENDING)])
    bookmarks().create_index([("post", ASCENDING)])


def add(*, id: int, owner: int, post: int) -> bool:
    """False if it is there."""
    try:
        bookmarks().insert_one({"_id": id, "owner": owner, "post": post})
    except DuplicateKeyError:
        return False
    return True


def remove(*, owner: int, post: int) -> bool:
    return bool(bookmarks().delete_one({"owner": owner, "post": post}).deleted_count)


def page(*, owner: int, bounds: Bounds, limit: int, upwards: bool = False) -> list[Bookmark]:
    """The newest first, or with ``upwards`` the oldest first: one command."""
    order = ASCENDING if upwards else DESCENDING
    found = bookmarks().find({"owner": owner, **bounds.query}, {"post": 1})
    return [Bookmark(one["_id"], one["post"]) for one in found.sort("_id", order).limit(limit)]


def delete_all_of(*, posts: Collection[int]) -> None:
    bookmarks().delete_many({"post": {"$in": list(posts)}})
