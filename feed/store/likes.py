"""Who likes what, in continuation documents however many do.

    like_buckets {post, seq, uids: [<= 500], n}

Unique on (post, seq), and on (post, uids) where n > 0: the index itself refuses a second like. It would
take an emptied array for a value, hence that condition, which look-ups repeat. How many like a post is told
by the post (``Post.likes``), written in the same transaction.
"""

from dataclasses import dataclass
from typing import Any

from pymongo import ASCENDING, DESCENDING

from .collections import Document, like_buckets, posts, session

CAPACITY = 500
HELD: Document = {"n": {"$gt": 0}}


@dataclass(frozen=True, slots=True)
class Like:
    """``position``: the number of the bucket times its capacity, and the place in it; the newest is the
    highest. A like that is taken back moves those above it in its bucket down by one."""

    position: int
    uid: int


def prepare() -> None:
    buckets = like_buckets()
    buckets.create_index([("post", ASCENDING), ("seq", ASCENDING)], unique=True)
    buckets.create_index(
        [("post", ASCENDING), ("uids", ASCENDING)], unique=True, partialFilterExpression=HELD
    )
    # Answers "the newest with room" and "how many" without reading a bucket.
    buckets.create_index([("post", ASCENDING), ("seq", DESCENDING), ("n", ASCENDING)])


def add(*, post: int, uid: int) -> bool:
    """Put the like into the newest bucket with room, or a new one, and count it; False if it is there.

    Only inside a transaction. Two writers that open the same bucket meet in a duplicate key or a write
    conflict, and the transaction is run again. Raises LookupError if there is no such post.
    """
    buckets, within = like_buckets(), session()
    if buckets.find_one({"post": post, "uids": uid, **HELD}, {"_id": 1}, session=within):
        return False
    pushed = buckets.find_one_and_update(
        {"post": post, "n": {"$lt": CAPACITY}},
        {"$push": {"uids": uid}, "$inc": {"n": 1}},
        sort=[("seq", DESCENDING)],
        projection={"_id": 1},
        hint=[("post", ASCENDING), ("seq", DESCENDING), ("n", ASCENDING)],
        session=within,
    )
    if pushed is None:
        newest = buckets.find_one(
            {"post": post}, {"seq": 1}, sort=[("seq", DESCENDING)], session=within
        )
        seq = 0 if newest is None else newest["seq"] + 1
        buckets.insert_one({"post": post, "seq": seq, "uids": [uid], "n": 1}, session=within)
    _count(post, 1)
    return True


def remove(*, post: int, uid: int) -> bool:
    """Take a like back; False if there is none. Only inside a transaction."""
    taken = like_buckets().update_one(
        {"post": post, "uids": uid, **HELD},
        {"$pull": {"uids": uid}, "$inc": {"n": -1}},
        session=session(),
    )
    if not taken.modified_count:
        return False
    _count(post, -1)
    return True


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
    )
    return [
        Like(position=one["seq"] * CAPACITY + one["n"] - 1 - one["from_end"], uid=one["uids"])
        for one in found
    ]


def delete_all_of(*, post: int) -> None:
    like_buckets().delete_many({"post": post})


def _count(post: int, by: int) -> None:
    counted = posts().update_one({"_id": post}, {"$inc": {"likes": by}}, session=session())
    if not counted.matched_count:
        raise LookupError(f"There is no post {post}.")
