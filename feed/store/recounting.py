"""Counters that stand beside what they count, checked and put right.

They are written in one transaction with it and cannot drift by themselves; a restored backup or a hand in
the database can make them.
"""

from .collections import Document, like_buckets, posts


def post_ids(*, above: int, limit: int) -> list[int]:
    """The first posts above an id."""
    found = posts().find({"_id": {"$gt": above}, "share_of": None}, {"_id": 1}).sort("_id", 1)
    return [one["_id"] for one in found.limit(limit)]


def count_posts() -> int:
    return posts().estimated_document_count()


def wrong_likes(*, ids: list[int]) -> dict[int, int]:
    """Of these posts those that tell another number of likes than there are, with the right one."""
    counted: list[Document] = [
        {"$match": {"post": {"$in": ids}}},
        {"$group": {"_id": "$post", "likes": {"$sum": {"$size": "$uids"}}}},
    ]
    right = {one["_id"]: one["likes"] for one in like_buckets().aggregate(counted)}
    told = posts().find({"_id": {"$in": ids}}, {"likes": 1})
    return {
        one["_id"]: right.get(one["_id"], 0)
        for one in told
        if one.get("likes") != right.get(one["_id"], 0)
    }


def put_likes_right(*, post: int) -> bool:
    """Count once more and write that, unless somebody likes the post in this moment (False)."""
    before = posts().find_one({"_id": post}, {"likes": 1})
    if before is None:
        return True
    right = wrong_likes(ids=[post])
    for number in right.values():
        guarded = {"_id": post, "likes": before.get("likes")}
        if not posts().update_one(guarded, {"$set": {"likes": number}}).matched_count:
            return False
    return True


def put_buckets_right(*, ids: list[int]) -> int:
    """Buckets whose ``n`` is not the number of their likes; returns how many were mended."""
    differs = {"$ne": ["$n", {"$size": "$uids"}]}
    mended = like_buckets().update_many(
        {"post": {"$in": ids}, "$expr": differs}, [{"$set": {"n": {"$size": "$uids"}}}]
    )
    return mended.modified_count
