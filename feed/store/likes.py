"""Who likes what, in continuation documents however many do.

    like_buckets {post, seq, uids: [<= 500], n}

``post`` is the id of a post or of a comment. Unique on (post, seq), and on (post, uids) where n > 0: the
index itself refuses a second like. It would take an emptied array for a value, hence that condition, which
look-ups repeat. How many there are, what is liked tells itself (``tallies``, ``comments``), written in the
same transaction.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store import continuation

from .collections import Document, like_buckets, session
from .post_rows import IdRange

CAPACITY = 500
NON_EMPTY: Document = {"n": {"$gt": 0}}


@dataclass(frozen=True, slots=True)
class Like:
    """``position``: the number of the bucket times its capacity, and the place in it; the newest is the
    highest. A like that is taken back moves those above it in its bucket down by one."""

    position: int
    uid: int


def create_indexes() -> None:
    continuation.create_indexes(collection=like_buckets(), owner_fields=("post",))
    like_buckets().create_index(
        [("post", ASCENDING), ("uids", ASCENDING)], unique=True, partialFilterExpression=NON_EMPTY
    )


def add_like(*, post: int, uid: int) -> bool:
    """Put the like into the newest bucket with room, or a new one; False if it is there.

    Only inside a transaction.
    """
    is_there = {"post": post, "uids": uid, **NON_EMPTY}
    if like_buckets().find_one(is_there, {"_id": 1}, session=session()):
        return False
    continuation.append_element(
        collection=like_buckets(),
        owner={"post": post},
        array_field="uids",
        element=uid,
        capacity=CAPACITY,
        session=session(),
    )
    return True


def remove_like(*, post: int, uid: int) -> bool:
    """Take a like back; False if there is none. Only inside a transaction."""
    taken = like_buckets().update_one(
        {"post": post, "uids": uid, **NON_EMPTY},
        {"$pull": {"uids": uid}, "$inc": {"n": -1}},
        session=session(),
    )
    return bool(taken.modified_count)


def liked_ids(*, posts: Collection[int], uid: int | None) -> frozenset[int]:
    """Which of these somebody likes: one command, none for nobody."""
    if uid is None or not posts:
        return frozenset()
    found = like_buckets().find(
        {"post": {"$in": list(posts)}, "uids": uid, **NON_EMPTY}, {"post": 1}
    )
    return frozenset(one["post"] for one in found)


def liked_ids_of_user(
    *, uid: int, id_range: IdRange, limit: int, ascending: bool = False
) -> list[int]:
    """The ids of the posts and comments that somebody likes within these bounds, the highest first, or
    with ``upwards`` the lowest: one command."""
    within = {"post": id_range.query["_id"]} if id_range.query else {}
    order = ASCENDING if ascending else DESCENDING
    found = like_buckets().find({"uids": uid, **within}, {"post": 1})
    return [one["post"] for one in found.sort("post", order).limit(limit)]


def newest_likes(*, post: int, limit: int, before_position: int | None = None) -> list[Like]:
    """The newest likes, or the newest below a position: one command.

    If likes were taken back since that position was told, some may come again; none is left out.
    """
    held: Document = {"post": post, **NON_EMPTY}
    uids: Any = "$uids"
    if before_position is not None:
        seq, end = divmod(before_position, CAPACITY)
        held["seq"] = {"$lte": seq} if end else {"$lt": seq}
        if end:
            uids = {"$cond": [{"$eq": ["$seq", seq]}, {"$slice": ["$uids", end]}, "$uids"]}
    found = like_buckets().aggregate(
        [
            {"$match": held},
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
        Like(position=one["seq"] * CAPACITY + one["n"] - 1 - one["from_end"], uid=one["uids"])
        for one in found
    ]


def likes_after(*, post: int, after_position: int, limit: int) -> list[Like]:
    """The likes that came just after this position, the first first: one command."""
    seq, start = divmod(after_position + 1, CAPACITY)
    found = like_buckets().aggregate(
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
    return [Like(position=one["seq"] * CAPACITY + one["at"], uid=one["uids"]) for one in found]


def delete_likes_of(*, posts: Collection[int]) -> None:
    like_buckets().delete_many({"post": {"$in": list(posts)}})
