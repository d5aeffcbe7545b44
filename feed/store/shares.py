"""Shares: ``shares {_id: activity id, author, post, is_private?}``, unique (author, post).

A share is also stored as a post, the activity (``models.Post.share_of``). Both documents are written in one
transaction. The unique index prevents a second share of the same post. The other indexes find the shares of
a post and the shares by a user.

``is_private`` marks a share by a user whose posts only followers can see, or nobody. ``Post.shares`` leaves
these shares out, because most of its viewers may not see them.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document, session
from accounts.selectors.follow_graph import followees_lookup

from .collections import shares
from .post_rows import IdRange


@dataclass(frozen=True, slots=True)
class Share:
    id: int
    author: int
    post: int
    is_private: bool = False


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
    private = {"is_private": True} if share.is_private else {}
    return {"_id": share.id, "author": share.author, "post": share.post, **private}


def get_share(*, author: int, post: int) -> Share | None:
    document = shares().find_one({"author": author, "post": post}, session=session())
    if document is None:
        return None
    return _share(document)


def delete_share(*, id: int, author: int, post: int) -> Share | None:
    """Delete a share and return it, None if there is no such share."""
    query = {"_id": id, "author": author, "post": post}
    document = shares().find_one_and_delete(query, session=session())
    return None if document is None else _share(document)


def shares_by(*, author: int, is_private: bool) -> Iterator[Share]:
    """Yield the shares by a user that are private, or the others."""
    query = {"author": author, "is_private": True if is_private else {"$ne": True}}
    yield from map(_share, shares().find(query))


def shares_of_post(*, post: int, id_range: IdRange, limit: int) -> list[Share]:
    """Return the shares of a post, oldest first. One command."""
    documents = shares().find({"post": post, **id_range.query}).sort("_id", ASCENDING).limit(limit)
    return [_share(document) for document in documents]


def visible_shares(*, post: int, viewer: int | None, id_range: IdRange, limit: int) -> list[Share]:
    """Return the shares of a post in the order of ``id_range``. One command.

    Private shares are left out unless the viewer follows their author: a cursor would reveal their time.
    """
    pipeline: list[Document] = [
        {"$match": {"post": post, **id_range.query}},
        {"$sort": {"_id": id_range.order}},
    ]
    is_visible: Document = {"is_private": {"$ne": True}}
    if viewer is not None:
        pipeline.append(followees_lookup(follower=viewer, followees="author", result="followed"))
        is_visible = {"$or": [is_visible, {"author": viewer}, {"followed": {"$ne": []}}]}
    pipeline += [{"$match": is_visible}, {"$limit": limit}]
    return [_share(document) for document in shares().aggregate(pipeline, batchSize=limit + 1)]


def count_shares(*, ids: Collection[int]) -> dict[int, int]:
    """Return the numbers of counted shares by post id, without posts that are not shared. One command."""
    pipeline: list[Document] = [
        {"$match": {"post": {"$in": list(ids)}, "is_private": {"$ne": True}}},
        {"$group": {"_id": "$post", "n": {"$sum": 1}}},
    ]
    return {document["_id"]: document["n"] for document in shares().aggregate(pipeline)}


def _share(document: Document) -> Share:
    return Share(
        document["_id"],
        document["author"],
        document["post"],
        is_private=document.get("is_private", False),
    )
