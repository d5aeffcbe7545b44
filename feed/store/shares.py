"""Who has shared what: ``shares {_id: activity id, author, post}``, unique (author, post).

The activity of a share is a post of its own (``models.Post.share_of``); this small fact beside it, written
in the same transaction, makes sharing twice impossible and tells which of many people have shared which
of many posts, from the index alone.
"""

from dataclasses import dataclass

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import session

from .collections import shares
from .post_rows import IdRange


@dataclass(frozen=True, slots=True)
class Share:
    id: int
    author: int
    post: int


def create_indexes() -> None:
    shares().create_index([("author", ASCENDING), ("post", ASCENDING)], unique=True)
    # As the other, with the id: answers ``among`` without reading a document.
    shares().create_index([("author", ASCENDING), ("post", ASCENDING), ("_id", ASCENDING)])
    shares().create_index([("post", ASCENDING), ("_id", DESCENDING)])


def insert_share(*, share: Share) -> None:
    """Raises DuplicateKeyError if the author has shared the post already."""
    document = {"_id": share.id, "author": share.author, "post": share.post}
    shares().insert_one(document, session=session())


def get_share(*, author: int, post: int) -> Share | None:
    found = shares().find_one({"author": author, "post": post}, session=session())
    return None if found is None else Share(found["_id"], found["author"], found["post"])


def delete_share(*, share: Share) -> bool:
    """Whether it was there."""
    there = {"_id": share.id, "author": share.author, "post": share.post}
    return bool(shares().delete_one(there, session=session()).deleted_count)


def shares_of_post(
    *, post: int, id_range: IdRange, limit: int, ascending: bool = False
) -> list[Share]:
    """The last made first, or with ``upwards`` the first made: one command."""
    found = shares().find({"post": post, **id_range.query}, {"author": 1, "post": 1})
    order = ASCENDING if ascending else DESCENDING
    return [
        Share(document["_id"], document["author"], document["post"])
        for document in found.sort("_id", order).limit(limit)
    ]


def delete_shares_of(*, post: int) -> None:
    shares().delete_many({"post": post})
