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

from accounts import continuation

from .collections import Document, like_buckets, session
from .rows import Bounds

CAPACITY = 500
HELD: Document = {"n": {"$gt": 0}}


@dataclass(frozen=True, slots=True)
class Like:
    """``position``: the number of the bucket times its capacity, and the place in it; the newest is the
    highest. A like that is taken back moves those above it in its bucket down by one."""

    position: int
    uid: int


def prepare() -> None:
    continuation.prepare(collection=like_buckets(), whose=("post",))
    like_buckets().create_index(
        [("post", ASCENDING), ("uids", ASCENDING)], unique=True, partialFilterExpression=HELD
    )


def add(*, post: int, uid: int) -> bool:
    """Put the like into the newest bucket with room, or a new one; False if it is there.

    Only inside a transaction.
    """
    is_there = {"post": post, "uids": uid, **HELD}
    if like_buckets().find_one(is_there, {"_id": 1}, session=session()):
        return False
    continuation.append(
        collection=like_buckets(),
        whose={"post": post},
        items="uids",
        item=uid,
        capacity=CAPACITY,
        session=session(),
    )
    return True


def remove(*, post: int, uid: int) -> bool:
    """Take a like back; False if there is none. Only inside a transaction."""
    taken = like_buckets().update_one(
        {"post": post, "uids": uid, **HELD},
        {"$pull": {"uids": uid}, "$inc": {"n": -1}},
        session=session(),
    )
    return bool(taken.modified_count)


def liked_among(*, posts: Collection[int], uid: int | None) -> frozenset[int]:
    """Which of these somebody likes: one command, none for nobody."""
    if uid is None or not posts:
        return frozenset()
    found = like_buckets().find({"post": {"$in": list(posts)}, "uids": uid, **HELD}, {"post": 1})
    return frozenset(one["post"] for one in found)


def liked_by(*, uid: int, bounds: Bounds, limit: int, upwards: bool = False) -> list[int]:
    """The ids of the posts and comments that somebody likes within these bounds, the highest first, or
    with ``upwards`` the lowest: one command."""
    within = {"post": bounds.query["_id"]} if bounds.query else {}
    order = ASCENDING if upwards else DESCENDING
    found = like_buckets().find({"uids": uid, **within}, {"post": 1})
    return [one["post"] for one in found.sort("post", order).limit(limit)]


def newest(*, post: int, limit: int, below: int | None = None) -> list[Like]:
    """The newest likes, or the newest below a position: one command.

    If likes were taken back since that position was told, some may come again; none is left out.
    """
    held: Document = {"post": post, **HELD}
    uids: Any = "$uids"
    if below is not None:
        seq, end = divmod(below, CAPACITY)
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


def next_above(*, post: int, above: int, limit: int) -> list[Like]:
    """The likes that came just after this position, the first first: one command."""
    seq, start = divmod(above + 1, CAPACITY)
    found = like_buckets().aggregate(
        [
            {"$match": {"post": post, "seq": {"$gte": seq}, **HELD}},
            {"$sort": {"seq": ASCENDING}},
            {"$project": {"seq": 1, "uids": 1}},
            {"$unwind": {"path": "$uids", "includeArrayIndex": "at"}},
            {"$match": {"$nor": [{"seq": seq, "at": {"$lt": start}}]}},
            {"$limit": limit},
        ],
        batchSize=limit + 1,
    )
    return [Like(position=one["seq"] * CAPACITY + one["at"], uid=one["uids"]) for one in found]


def delete_all_of(*, posts: Collection[int]) -> None:
    like_buckets().delete_many({"post": {"$in": list(posts)}})
