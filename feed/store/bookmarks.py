"""Bookmarks: ``bookmarks {_id, owner, post}``, unique (owner, post).

``post`` is the id of a post or of a comment, as in ``likes``. ``_id`` is time-ordered, so pages are sorted
by ``_id``. Only the owner sees a bookmark.
"""

from pymongo import ASCENDING, DESCENDING
from pymongo.errors import DuplicateKeyError

from .collections import bookmarks
from .post_rows import IdRange


def create_indexes() -> None:
    bookmarks().create_index([("owner", ASCENDING), ("post", ASCENDING)], unique=True)
    bookmarks().create_index([("owner", ASCENDING), ("_id", DESCENDING)])
    bookmarks().create_index([("post", ASCENDING)])


def add_bookmark(*, id: int, owner: int, post: int) -> bool:
    """Add a bookmark. Return False if the owner already has it."""
    try:
        bookmarks().insert_one({"_id": id, "owner": owner, "post": post})
    except DuplicateKeyError:
        return False
    return True


def remove_bookmark(*, owner: int, post: int) -> bool:
    return bool(bookmarks().delete_one({"owner": owner, "post": post}).deleted_count)


def bookmarks_of(*, owner: int, id_range: IdRange, limit: int) -> list[tuple[int, int]]:
    """Return ``(id, post)`` of bookmarks in the order of ``id_range``. One command."""
    documents = bookmarks().find({"owner": owner, **id_range.query}, {"post": 1})
    return [
        (document["_id"], document["post"])
        for document in documents.sort("_id", id_range.order).limit(limit)
    ]
