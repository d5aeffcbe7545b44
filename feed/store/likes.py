"""Likes of posts and comments, in buckets of up to 500 users.

    like_buckets {post, seq, uids: [<= 500], n}

``post`` is the id of a post or of a comment. (post, seq) is unique. ``n`` is the length of ``uids``.
(post, uids) is unique where n > 0, so a user cannot like a post twice. The condition is needed because an
index treats an empty array as a value, so two empty buckets would collide. Queries must repeat it.

The number of likes is in the post or comment (``post_counters``, ``comments``), written in the same
transaction. Likes that are set aside (``continuation``) are not counted and in no list (decision 0030).
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store import continuation
from accounts.infra.store.connection import Document, session
from accounts.infra.store.continuation import IN_LIST

from .collections import like_buckets
from .post_rows import IdRange

CAPACITY = 500
NON_EMPTY: Document = {"n": {"$gt": 0}}


class NotFirstLike(Exception):
    """The post has or had likes. The transaction is aborted."""


class AlreadyAdded(Exception):
    """The user likes the post or has answered already. The transaction is aborted."""


@dataclass(frozen=True, slots=True)
class Like:
    """A like of a user.

    ``position`` is ``seq`` of the bucket times the capacity, plus the index in the bucket. The newest like
    has the highest position. When a like is removed, the newer likes in its bucket move down by one.
    """

    position: int
    uid: int


def create_indexes() -> None:
    create_uid_indexes(buckets=like_buckets(), owner_fields=("post",))


def create_uid_indexes(*, buckets: Any, owner_fields: tuple[str, ...]) -> None:
    """Create the indexes of buckets of uids, each of which a post contains at most once."""
    continuation.create_indexes(collection=buckets, owner_fields=owner_fields)
    buckets.create_index(
        [("post", ASCENDING), ("uids", ASCENDING)], unique=True, partialFilterExpression=NON_EMPTY
    )
    buckets.create_index([("uids", ASCENDING), ("post", ASCENDING)])


def add_first_like(*, post: int, uid: int) -> None:
    """Add the first like of a post or comment. One command. Only inside a transaction.

    Raises NotFirstLike if the post has or had likes.
    """
    try:
        continuation.insert_first_element(
            collection=like_buckets(),
            owner={"post": post},
            array_field="uids",
            element=uid,
            session=session(),
        )
    except continuation.BucketExists:
        raise NotFirstLike from None


def add_like(*, post: int, uid: int, is_counted: bool = True) -> None:
    """Add a like, or set it aside. Raises AlreadyAdded. Only inside a transaction."""
    add_uid(buckets=like_buckets(), owner={"post": post}, uid=uid, is_counted=is_counted)


def add_uid(*, buckets: Any, owner: Document, uid: int, is_counted: bool) -> None:
    """Add a user to the newest bucket with room, or to a new bucket, or set the user aside.

    Raises AlreadyAdded. Only inside a transaction. A query for the user is not needed: the update fails if
    its bucket contains the user, and the unique index checks all other buckets.
    """
    try:
        continuation.append_element(
            collection=buckets,
            owner=owner,
            array_field="uids",
            element=uid,
            capacity=CAPACITY,
            session=session(),
            is_unique=True,
            is_set_aside=not is_counted,
        )
    except continuation.ElementExists:
        raise AlreadyAdded from None


def remove_like(*, post: int, uid: int) -> bool | None:
    """Remove a like. Return whether it was counted, None if there is none. Only inside a transaction."""
    bucket = remove_uid(buckets=like_buckets(), post=post, uid=uid)
    return None if bucket is None else bucket["seq"] >= 0


def remove_uid(*, buckets: Any, post: int, uid: int) -> Document | None:
    """Remove a user from the bucket. Return ``seq`` and more of it, None if the user is in no bucket."""
    bucket: Document | None = buckets.find_one_and_update(
        {"post": post, "uids": uid, **NON_EMPTY},
        {"$pull": {"uids": uid}, "$inc": {"n": -1}},
        projection={"uids": 0},
        session=session(),
    )
    if bucket is not None and bucket["seq"] < 0:
        buckets.delete_one({"_id": bucket["_id"]}, session=session())
    return bucket


def posts_to_move(*, buckets: Any, uid: int, is_counted: bool) -> Iterator[int]:
    """Yield ``post`` of the user's likes, or answers, that are set aside, or of the others."""
    query = {"uids": uid, "seq": {"$lt": 0} if is_counted else {"$gte": 0}}
    for bucket in buckets.find(query, {"post": 1}).batch_size(CAPACITY):
        yield bucket["post"]


def liked_ids(*, posts: Collection[int], uid: int | None) -> frozenset[int]:
    """Return the ids among ``posts`` that the user likes. One command, or no command if ``uid`` is None."""
    if uid is None or not posts:
        return frozenset()
    documents = like_buckets().find(
        {"post": {"$in": list(posts)}, "uids": uid, **NON_EMPTY}, {"post": 1}
    )
    return frozenset(document["post"] for document in documents)


def liked_ids_of_user(*, uid: int, id_range: IdRange, limit: int) -> list[int]:
    """Return ids of posts and comments that a user likes, in the order of ``id_range``. One command."""
    bounds = {"post": id_range.query["_id"]} if id_range.query else {}
    documents = like_buckets().find({"uids": uid, **bounds}, {"post": 1})
    return [document["post"] for document in documents.sort("post", id_range.order).limit(limit)]


def newest_likes(*, post: int, limit: int, before_position: int | None = None) -> list[Like]:
    """Return the newest likes, or the newest likes below a position. One command.

    If likes were removed after the previous page was read, this page may repeat some likes. No like is
    skipped.
    """
    query: Document = {"post": post, **IN_LIST, **NON_EMPTY}
    uids: Any = "$uids"
    if before_position is not None:
        seq, end = divmod(before_position, CAPACITY)
        query["seq"] = {"$gte": 0, **({"$lte": seq} if end else {"$lt": seq})}
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
    """Return the likes that follow a position, oldest first. One command."""
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
