"""What posts and comments tell of themselves (``tallies``), checked and put right.

It is written in one transaction with what it counts and cannot drift by itself; a restored backup or a hand
in the database can make it.
"""

from collections.abc import Iterator

from accounts.infra.store.connection import Document

from . import post_counters
from .collections import comment_buckets, like_buckets, posts, shares

COUNTED = ("likes", "shares", "comments")


def post_ids(*, after_id: int, limit: int) -> list[int]:
    """The first posts above an id."""
    found = posts().find({"_id": {"$gt": after_id}, "share_of": None}, {"_id": 1}).sort("_id", 1)
    return [document["_id"] for document in found.limit(limit)]


def count_posts() -> int:
    return posts().estimated_document_count()


def miscounted_posts(*, ids: list[int]) -> list[int]:
    """Those of these posts that tell another number than there is, or not the newest."""
    said: dict[int, list[int]] = {}
    for one in _comments_of(ids):
        if not (one["thread"] or one["is_deleted"]):
            said.setdefault(one["post"], []).append(one["id"])
    return [
        told["_id"]
        for told, right in _told_and_right(ids)
        if any(told.get(name) != right[name] for name in COUNTED)
        or len(told.get("newest_likers", ())) != min(post_counters.NEWEST_COUNT, right["likes"])
        or [comment["id"] for comment in told.get("newest_comments", ())]
        != sorted(said.get(told["_id"], ()))[-post_counters.NEWEST_COUNT :]
    ]


def recount_post(*, post: int) -> bool:
    """Count once more and write that, unless somebody changes it in this moment (False)."""
    for told, right in _told_and_right([post]):
        before = {name: told.get(name) for name in COUNTED}
        newest = {
            "newest_likers": post_counters.newest_likers(post=post),
            "newest_comments": post_counters.newest_comments(post=post),
        }
        written = posts().update_one({"_id": post, **before}, {"$set": {**right, **newest}})
        if not written.matched_count:
            return False
    return True


def recount_buckets(*, ids: list[int]) -> int:
    """Of these posts the buckets whose ``n`` is not the number of what they hold; how many were mended."""
    mended = 0
    for buckets, items in ((like_buckets(), "$uids"), (comment_buckets(), "$comments")):
        differs = {"$ne": ["$n", {"$size": items}]}
        mended += buckets.update_many(
            {"post": {"$in": ids}, "$expr": differs}, [{"$set": {"n": {"$size": items}}}]
        ).modified_count
    return mended


def miscounted_comments(*, ids: list[int]) -> list[Document]:
    """Comments on these posts that tell another number than there is: ``{post, id, told, right}``."""
    found = list(_comments_of(ids))
    likes = _likes_of([one["id"] for one in found])
    replies: dict[int, int] = {}
    for one in found:
        if one["thread"] and not one["is_deleted"]:
            replies[one["thread"]] = replies.get(one["thread"], 0) + 1
    wrong = []
    for one in found:
        told = {name: one[name] for name in ("likes", "replies")}
        right = {
            "likes": 0 if one["is_deleted"] else likes.get(one["id"], 0),
            "replies": replies.get(one["id"], 0),
        }
        if told != right:
            wrong.append({"post": one["post"], "id": one["id"], "told": told, "right": right})
    return wrong


def recount_comment(*, miscount: Document) -> bool:
    """Unless it has changed since (False)."""
    written = comment_buckets().update_one(
        {
            "post": miscount["post"],
            "comments": {"$elemMatch": {"id": miscount["id"], **miscount["told"]}},
        },
        {"$set": {f"comments.$.{name}": number for name, number in miscount["right"].items()}},
    )
    return bool(written.matched_count)


def _told_and_right(ids: list[int]) -> Iterator[tuple[Document, Document]]:
    likes, comments = _likes_of(ids), dict[int, int]()
    for one in _comments_of(ids):
        if not one["is_deleted"]:
            comments[one["post"]] = comments.get(one["post"], 0) + 1
    counted: list[Document] = [
        {"$match": {"post": {"$in": ids}}},
        {"$group": {"_id": "$post", "n": {"$sum": 1}}},
    ]
    shared = {document["_id"]: document["n"] for document in shares().aggregate(counted)}
    told = posts().find(
        {"_id": {"$in": ids}}, dict.fromkeys((*COUNTED, "newest_likers", "newest_comments"), 1)
    )
    for document in told:
        post = document["_id"]
        yield (
            document,
            {
                "likes": likes.get(post, 0),
                "shares": shared.get(post, 0),
                "comments": comments.get(post, 0),
            },
        )


def _likes_of(ids: list[int]) -> dict[int, int]:
    counted: list[Document] = [
        {"$match": {"post": {"$in": ids}}},
        {"$group": {"_id": "$post", "n": {"$sum": {"$size": "$uids"}}}},
    ]
    return {document["_id"]: document["n"] for document in like_buckets().aggregate(counted)}


def _comments_of(ids: list[int]) -> Iterator[Document]:
    fields = ("id", "is_deleted", "likes", "replies")
    wanted = dict.fromkeys((f"comments.{name}" for name in fields), 1)
    for bucket in comment_buckets().find(
        {"post": {"$in": ids}}, {"post": 1, "thread": 1, **wanted}
    ):
        for comment in bucket["comments"]:
            yield {"post": bucket["post"], "thread": bucket["thread"], **comment}
