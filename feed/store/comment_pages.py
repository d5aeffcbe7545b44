"""All comments on a post, or in one thread of it, at once (``comments``)."""

import re
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.ids import MAX_ID

from .collections import Document, comment_buckets
from .comments import ID_INDEX, Comment, comment_from_bucket


def whole_conversation(*, post: int, thread: int | None = None, limit: int) -> list[Comment]:
    """The first ``limit``, also of deleted ones: first what was said to the post itself, then each thread,
    in their order. One command, by the index."""
    within: Document = {"post": post} if thread is None else {"post": post, "thread": thread}
    found = comment_buckets().aggregate(
        [
            {"$match": within},
            {"$sort": {"post": ASCENDING, "thread": ASCENDING, "seq": ASCENDING}},
            {"$unwind": {"path": "$comments", "includeArrayIndex": "place"}},
            {"$limit": limit},
            {"$project": {"post": 1, "thread": 1, "seq": 1, "place": 1, "comments": 1}},
        ],
        batchSize=limit + 1,
    )
    return [comment_from_bucket(one) for one in found]


# MERGED FROM feed.store.comment_pages: The newest comments of the whole site, wherever they are: for moderators.  Nothing keeps them in this order. But the index of ``comments.id`` leads to buckets by the highest id in them, and each of the first n buckets holds at least one: so the n newest comments are in these, and reading them is bounded whatever else there is.
def newest_comments(
    *, below: int | None, limit: int, max_examined: int = 0, uid: int = 0, text: str = ""
) -> list[Comment]:
    """The first so many with ids below, the newest first, without those that are gone: two commands.

    By ``uid`` or with ``words`` (whatever their case), looked for ``among`` so many of the newest.
    """
    highest = MAX_ID if below is None else below - 1
    # In the order of the index itself: a sort would have to read every bucket, as each is in it many times.
    walked = comment_buckets().find({}, {"_id": 1}).min([("comments.id", highest)]).hint(ID_INDEX)
    buckets = [one["_id"] for one in walked.limit(max(limit, max_examined)).batch_size(10_001)]
    wanted: Document = {"comments.id": {"$lte": highest}, "comments.gone": False}
    if uid:
        wanted["comments.uid"] = uid
    if text:
        wanted["comments.text"] = {"$regex": re.escape(text), "$options": "i"}
    pipeline: list[dict[str, Any]] = [
        {"$match": {"_id": {"$in": buckets}}},
        {"$unwind": {"path": "$comments", "includeArrayIndex": "place"}},
        {"$match": wanted},
        {"$sort": {"comments.id": DESCENDING}},
        {"$limit": limit},
        {"$project": {"post": 1, "thread": 1, "seq": 1, "place": 1, "comments": 1}},
    ]
    return [
        comment_from_bucket(one)
        for one in comment_buckets().aggregate(pipeline, batchSize=limit + 1)
    ]
