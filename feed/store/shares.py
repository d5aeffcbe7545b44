"""Shares: ``shares {_id: activity id, author, post}``, unique (author, post).

A share is also stored as a post, the activity (``models.Post.share_of``). Both documents are written in one
transaction. The unique index prevents a second share of the same post. The other indexes find the shares of
a post and the shares by a user.
"""

from dataclasses import dataclass

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document, session

from .collections import shares
from .post_rows import IdRange


@dataclass(frozen=True, slots=True)
class Share:
    id: int
    author: int
    post: int


def create_indexes() -> None:
    shares().create_index([("author", ASCENDING), ("post", ASCENDING)], unique=True)
    # This index includes ``_id``, so that ``interactions_and_shares`` reads only the index, no documents.
    shares().create_index([("author", ASCENDING), ("post", ASCENDING), ("_id", ASCENDING)])
    shares().create_index([("post", ASCENDING), ("_id", DESCENDING)])


def insert_share(*, share: Share) -> None:
    """Insert a share. Raises DuplicateKeyError if the author has already shared the post."""
    shares().insert_one(share_document(share=share), session=session())


def share_document(*, share: Share) -> Document:
    """Return the document that stores a share."""
    return {"_id": share.id, "author": share.author, "post": share.post}


def get_share(*, author: int, post: int) -> Share | None:
    document = shares().find_one({"author": author, "post": post}, session=session())
    if document is None:
        return None
    return Share(document["_id"], document["author"], document["post"])


def delete_share(*, share: Share) -> bool:
    """Delete a share. Return False if there is no such share."""
    query = share_document(share=share)
    return bool(shares().delete_one(query, session=session()).deleted_count)


def shares_of_post(
    *, post: int, id_range: IdRange, limit: int, ascending: bool = False
) -> list[Share]:
    """Return the shares of a post, newest first, or oldest first if ``ascending``. One command."""
    documents = shares().find({"post": post, **id_range.query}, {"author": 1, "post": 1})
    order = ASCENDING if ascending else DESCENDING
    return [
        Share(document["_id"], document["author"], document["post"])
        for document in documents.sort("_id", order).limit(limit)
    ]


def delete_shares_of(*, post: int) -> None:
    shares().delete_many({"post": post})
