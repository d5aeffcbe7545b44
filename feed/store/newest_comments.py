"""The newest comments of the whole site, wherever they are: for moderators.

Nothing keeps them in this order. But the index of ``comments.id`` leads to buckets by the highest id in
them, and each of the first n buckets holds at least one: so the n newest comments are in these, and reading
them is bounded whatever else there is.
"""

import re
from typing import Any

from pymongo import DESCENDING

from accounts.ids import MAX_ID

from .collections import Document, comment_buckets
from .comments import BY_ID, Comment, comment_of


def newest(
    *, below: int | None, limit: int, among: int = 0, uid: int = 0, words: str = ""
) -> list[Comment]:
    """The first so many with ids below, the newest first, without those that are gone: two commands.

    By ``uid`` or with ``words`` (whatever their case), looked for ``among`` so many of the newest.
    """
    highest = MAX_ID if below is None else below - 1
    # In the order of the index itself: a sort would have to read every bucket, as each is in it many times.
    walked = comment_buckets().find({}, {"_id": 1}).min([("comments.id", highest)]).hint(BY_ID)
    buckets = [one["_id"] for one in walked.limit(max(limit, among)).batch_size(10_001)]
    wanted: Document = {"comments.id": {"$lte": highest}, "comments.gone": False}
    if uid:
        wanted["comments.uid"] = uid
    if words:
        wanted["comments.text"] = {"$regex": re.escape(words), "$options": "i"}
    pipeline: list[dict[str, Any]] = [
        {"$match": {"_id": {"$in": buckets}}},
        {"$unwind": {"path": "$comments", "includeArrayIndex": "place"}},
        {"$match": wanted},
        {"$sort": {"comments.id": DESCENDING}},
        {"$limit": limit},
        {"$project": {"post": 1, "thread": 1, "seq": 1, "place": 1, "comments": 1}},
    ]
    return [comment_of(one) for one in comment_buckets().aggregate(pipeline, batchSize=limit + 1)]
