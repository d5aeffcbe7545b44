"""Read the comments of a post, thread or user, or the newest of the site (stored by ``comments``)."""

import re
from collections.abc import Mapping
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.ids import MAX_ID
from accounts.infra.store.connection import Document

from . import comment_rows
from .collections import comment_buckets
from .comment_rows import Comment, comment_from_bucket
from .comments import ID_INDEX
from .post_rows import IdRange

COMMENT_FIELDS: Document = dict.fromkeys(("post", "thread", "comments"), 1)
"""The projection that ``comment_from_bucket`` needs."""

AUTHOR_INDEXES = {
    DESCENDING: [("comments.uid", ASCENDING), ("comments.id", DESCENDING)],
    ASCENDING: [("comments.uid", ASCENDING), ("comments.id", ASCENDING)],
}


def create_indexes() -> None:
    for index in AUTHOR_INDEXES.values():
        comment_buckets().create_index(index)


def ids_by_author(*, uid: int, id_range: IdRange, limit: int) -> list[int]:
    """Return the ids of a user's comments, in the order of ``id_range``. One command.

    Deleted and hidden comments are left out, because they have no author.
    """
    by_author = {"$filter": {"input": "$comments", "cond": {"$eq": ["$$this.uid", uid]}}}
    fields = {"_id": 0, "ids": {"$map": {"input": by_author, "in": "$$this.id"}}}
    buckets = buckets_by_author(uid=uid, id_range=id_range, limit=limit, fields=fields)
    ids = {id_ for bucket in buckets for id_ in bucket["ids"] if id_range.contains(id_)}
    return sorted(ids, reverse=not id_range.is_ascending)[:limit]


def buckets_by_author(
    *, uid: int, id_range: IdRange, limit: int, fields: Document
) -> list[Document]:
    """Return the first ``limit`` buckets with comments by a user within ``id_range``. One command.

    The buckets contain at least the first ``limit`` of these comments, because each bucket comes at the
    place of its first such comment, as in ``newest_comments``. On a cluster, the order is that of each
    shard (docs/sharding.md).
    """
    last_id = MAX_ID - 1 if id_range.below is None else id_range.below - 1
    if last_id <= id_range.above:
        return []
    # The server includes the first bound and excludes the second.
    bounds = (last_id, id_range.above)
    if id_range.is_ascending:
        bounds = (id_range.above + 1, last_id + 1)
    index = AUTHOR_INDEXES[id_range.order]
    first, end = ([("comments.uid", uid), ("comments.id", bound)] for bound in bounds)
    buckets = comment_buckets().find({}, fields).min(first).max(end).hint(index)
    return list(buckets.limit(limit).batch_size(limit + 1))


def whole_conversation(*, post: int, thread: int | None = None, limit: int) -> list[Comment]:
    """Return the first ``limit`` comments of a post or thread, including deleted comments. One command.

    Comments on the post itself come first, then the threads in the order of their ids. The index has this
    order, so the server does not sort.
    """
    query: Document = {"post": post} if thread is None else {"post": post, "thread": thread}
    documents = comment_buckets().aggregate(
        [
            {"$match": query},
            {"$sort": {"post": ASCENDING, "thread": ASCENDING, "seq": ASCENDING}},
            {"$unwind": "$comments"},
            {"$limit": limit},
            {"$project": COMMENT_FIELDS},
        ],
        batchSize=limit + 1,
    )
    return [comment_from_bucket(document) for document in documents]


def comments_in_time_order(*, post: int, id_range: IdRange, limit: int) -> list[Comment]:
    """Return comments and replies of a post in the order of ``id_range``.

    Deleted comments are left out. One command, which reads all buckets of the post.
    """
    query: Document = {"comments.is_deleted": False}
    if "_id" in id_range.query:
        query["comments.id"] = id_range.query["_id"]
    documents = comment_buckets().aggregate(
        [
            {"$match": {"post": post}},
            {"$unwind": "$comments"},
            {"$match": query},
            {"$sort": {"comments.id": id_range.order}},
            {"$limit": limit},
            {"$project": COMMENT_FIELDS},
        ],
        batchSize=limit + 1,
    )
    return [comment_from_bucket(document) for document in documents]


def last_comments(*, newest_by_post: Mapping[int, int]) -> list[Comment]:
    """Return the newest comments of posts, newest first, up to a bucket per post. One command.

    Args:
        newest_by_post: the id of the newest comment by post. Only the bucket of this comment is read, so a
            large conversation costs no more than a small one.
    """
    if not newest_by_post:
        return []
    documents = comment_buckets().aggregate(
        [
            {
                "$match": {
                    "post": {"$in": list(newest_by_post)},
                    "comments.id": {"$in": list(newest_by_post.values())},
                }
            },
            {"$unwind": "$comments"},
            {"$match": {"comments.is_deleted": False}},
            {"$sort": {"comments.id": DESCENDING}},
            {"$project": COMMENT_FIELDS},
        ],
        batchSize=comment_rows.CAPACITY * len(newest_by_post) + 1,
    )
    return [comment_from_bucket(document) for document in documents]


def newest_comments(
    *, below: int | None, limit: int, max_examined: int = 0, uid: int = 0, text: str = ""
) -> list[Comment]:
    """Return the newest comments of the site, newest first, for moderators. Two commands.

    Args:
        below: return only comments with lower ids.
        max_examined: the least number of newest comments to search for ``uid`` and ``text``.
        uid: return only comments by this user, unless 0.
        text: return only comments that contain this text, ignoring case.

    Deleted comments are left out. Comments are stored by post, not by time. So the first command reads the
    index on ``comments.id`` from the highest id down, until it has found ``limit`` or ``max_examined``
    buckets, whichever is more. Each of these buckets has at least one comment below ``below``, so together
    the buckets contain at least that many of the newest comments.
    """
    highest = MAX_ID if below is None else below - 1
    # ``min`` with the hint returns buckets in the order of the index. ``sort`` would read every bucket,
    # because the index has an entry for each comment of a bucket.
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
        {"$unwind": "$comments"},
        {"$match": query},
        {"$sort": {"comments.id": DESCENDING}},
        {"$limit": limit},
        {"$project": COMMENT_FIELDS},
    ]
    return [
        comment_from_bucket(document)
        for document in comment_buckets().aggregate(pipeline, batchSize=limit + 1)
    ]
