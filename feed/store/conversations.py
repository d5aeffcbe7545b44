"""All comments on a post, or in one thread of it, at once (``comments``)."""

from pymongo import ASCENDING

from .collections import Document, comment_buckets
from .comments import Comment, comment_of


def whole(*, post: int, thread: int | None = None, limit: int) -> list[Comment]:
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
    return [comment_of(one) for one in found]
