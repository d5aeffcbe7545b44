"""Likes, in buckets that continue for famous posts.

    like_buckets {post, seq, uids: [<= 500], n}

``post`` is the id of a post or of a comment. Unique on (post, seq), and on (post, uids) where n > 0: the
index refuses a second like. The condition is needed because the index treats an empty array as a value;
queries repeat it. The number of likes is stored in the post or comment (``post_counters``, ``comments``),
in the same transaction.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from pymongo import ASCENDING, DESCENDING
from pymongo.errors import DuplicateKeyError

from accounts.infra.store import continuation
from accounts.infra.store.connection import Document, session

from .collections import like_buckets
from .post_rows import IdRange

CAPACITY = 500
NON_EMPTY: Document = {"n": {"$gt": 0}}


class AlreadyLiked(Exception):
    """The user likes the post already. The transaction is aborted."""


@dataclass(frozen=True, slots=True)
class Like:
    """A like of a user.

    ``position``: the number of the bucket times its capacity, plus the index in it. The newest like has
    the highest position. Removing a like moves those above it in its bucket down by one.
    """

    position: int
    uid: int


def create_indexes() -> None:
    continuation.create_indexes(collection=like_buckets(), owner_fields=("post",))
    like_buckets().create_index(
        [("post", ASCENDING), ("uids", ASCENDING)], unique=True, partialFilterExpression=NON_EMPTY
    )


def add_first_like(*, post: int, uid: int) -> None:
    """Add the first like of a post or comment: one command. Only inside a transaction.

    Raises ``continuation.BucketExists`` if the post has or had likes.
    """
    continuation.insert_first_element(
        collection=like_buckets(),
        owner={"post": post},
        array_field="uids",
        element=uid,
        session=session(),
    )


def add_like(*, post: int, uid: int) -> None:
    """Add a like to the newest bucket with room, or to a new one. Raises AlreadyLiked.

    Only inside a transaction. No separate query looks for an earlier like: the bucket that is written
    must not contain the user, and the unique index checks all other buckets.
    """
    try:
        continuation.append_element(
            collection=like_buckets(),
            owner={"post": post},
            array_field="uids",
            element=uid,
            capacity=CAPACITY,
            session=session(),
            is_unique=True,
        )
    except DuplicateKeyError as error:
        if "uids" in (error.details or {}).get("keyPattern", {}):
            raise AlreadyLiked from None
        raise


def remove_like(*, post: int, uid: int) -> bool:
    """Remove a like. Return False if there is none. Only inside a transaction."""
    result = like_buckets().update_one(
        {"post": post, "uids": uid, **NON_EMPTY},
        {"$pull": {"uids": uid}, "$inc": {"n": -1}},
        session=session(),
    )
    return bool(result.modified_count)


def liked_ids(*, posts: Collection[int], uid: int | None) -> frozenset[int]:
    """Return which of these the user likes: one command, none for an anonymous viewer."""
    if uid is None or not posts:
        return frozenset()
    documents = like_buckets().find(
        {"post": {"$in": list(posts)}, "uids": uid, **NON_EMPTY}, {"post": 1}
    )
    return frozenset(document["post"] for document in documents)


def liked_ids_of_user(
    *, uid: int, id_range: IdRange, limit: int, ascending: bool = False
) -> list[int]:
    """Return the ids of posts and comments that a user likes, highest or ``ascending``: one command."""
    bounds = {"post": id_range.query["_id"]} if id_range.query else {}
    order = ASCENDING if ascending else DESCENDING
    documents = like_buckets().find({"uids": uid, **bounds}, {"post": 1})
    return [document["post"] for document in documents.sort("post", order).limit(limit)]


def newest_likes(*, post: int, limit: int, before_position: int | None = None) -> list[Like]:
    """Return the newest likes, or the newest below a position: one command.

    If likes were removed since the previous page, some may be repeated; none is missing.
    """
    query: Document = {"post": post, **NON_EMPTY}
    uids: Any = "$uids"
    if before_position is not None:
        seq, end = divmod(before_position, CAPACITY)
        query["seq"] = {"$lte": seq} if end else {"$lt": seq}
        if end:
            uids = {"$cond": [{"$eq": ["$seq", seq]}, {"$slice": ["$uids", end]}, "$uids"]}
    documents = like_buckets().aggregate(
        [
            {"$match": query},
            {"$sort": {"seq": DESCENDING}},
            {"$project": {"seq": 1, "uids": uids}},
            {"$project": {"seq": 1, "n": {"$size": "$uids"}, "uids": {"$reverseArray": "$uids"}}},
            {"$unwind": {"path": "$uids", "includeArrayIndex": "from_end"}},
            {"$limit": limit},
        ],
        batchSize=limit + 1,
        session=session(),
    )
    return [
        Like(
            position=document["seq"] * CAPACITY + document["n"] - 1 - document["from_end"],
            uid=document["uids"],
        )
        for document in documents
    ]


def likes_after(*, post: int, after_position: int, limit: int) -> list[Like]:
    """Return the likes just after a position, oldest first: one command."""
    seq, start = divmod(after_position + 1, CAPACITY)
    documents = like_buckets().aggregate(
        [
            {"$match": {"post": post, "seq": {"$gte": seq}, **NON_EMPTY}},
            {"$sort": {"seq": ASCENDING}},
            {"$project": {"seq": 1, "uids": 1}},
            {"$unwind": {"path": "$uids", "includeArrayIndex": "at"}},
            {"$match": {"$nor": [{"seq": seq, "at": {"$lt": start}}]}},
            {"$limit": limit},
        ],
        batchSize=limit + 1,
    )
    return [
        Like(position=document["seq"] * CAPACITY + document["at"], uid=document["uids"])
        for document in documents
    ]


def delete_likes_of(*, posts: Collection[int]) -> None:
    like_buckets().delete_many({"post": {"$in": list(posts)}})
