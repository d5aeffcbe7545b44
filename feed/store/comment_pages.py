"""Lists of comments: all on a post or in a thread, and the newest of the whole site (``comments``)."""

import re
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.ids import MAX_ID
from accounts.infra.store.connection import Document

from .collections import comment_buckets
from .comments import ID_INDEX, Comment, comment_from_bucket


def whole_conversation(*, post: int, thread: int | None = None, limit: int) -> list[Comment]:
    """Return the first ``limit`` comments, including deleted ones: one command, by the index.

    Comments on the post itself come first, then each thread in order.
    """
    query: Document = {"post": post} if thread is None else {"post": post, "thread": thread}
    documents = comment_buckets().aggregate(
        [
            {"$match": query},
            {"$sort": {"post": ASCENDING, "thread": ASCENDING, "seq": ASCENDING}},
            {"$unwind": {"path": "$comments", "includeArrayIndex": "place"}},
            {"$limit": limit},
            {"$project": {"post": 1, "thread": 1, "seq": 1, "place": 1, "comments": 1}},
        ],
        batchSize=limit + 1,
    )
    return [comment_from_bucket(document) for document in documents]


def newest_comments(
    *, below: int | None, limit: int, max_examined: int = 0, uid: int = 0, text: str = ""
) -> list[Comment]:
    """Return the newest comments of the site below an id, newest first, for moderators: two commands.

    Deleted comments are left out. ``uid`` and ``text`` (case-insensitive) filter the ``max_examined``
    newest ones.

    No collection has this order. But the index on ``comments.id`` finds buckets by their highest id, and
    each of the first n buckets has at least one matching comment. So these buckets contain the n newest
    comments, and the query is bounded.
    """
    highest = MAX_ID if below is None else below - 1
    # Use index order: a sort would read every bucket, because each is in the index many times.
    newest_buckets = (
        comment_buckets().find({}, {"_id": 1}).min([("comments.id", highest)]).hint(ID_INDEX)
    )
    newest_buckets = newest_buckets.limit(max(limit, max_examined)).batch_size(10_001)
    bucket_ids = [bucket["_id"] for bucket in newest_buckets]
    query: Document = {"comments.id": {"$lte": highest}, "comments.is_deleted": False}
    if uid:
        query["comments.uid"] = uid
    if text:
        query["comments.text"] = {"$regex": re.escape(text), "$options": "i"}
    pipeline: list[dict[str, Any]] = [
        {"$match": {"_id": {"$in": bucket_ids}}},
        {"$unwind": {"path": "$comments", "includeArrayIndex": "place"}},
        {"$match": query},
        {"$sort": {"comments.id": DESCENDING}},
        {"$limit": limit},
        {"$project": {"post": 1, "thread": 1, "seq": 1, "place": 1, "comments": 1}},
    ]
    return [
        comment_from_bucket(document)
        for document in comment_buckets().aggregate(pipeline, batchSize=limit + 1)
    ]
