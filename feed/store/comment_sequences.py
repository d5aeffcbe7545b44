"""Read consecutive comments of a post or a thread (stored by ``comments``)."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query, read_union
from feed.models import Post

from . import comment_rows
from .collections import comment_buckets
from .comment_rows import Comment, comment_from_bucket

FOLLOWERS = Post.Visibility.FOLLOWERS.value


def comments_after_queries(
    *, post: int, thread_id: int, position: int, limit: int, viewer: int | None = None
) -> list[Query]:
    """Return the queries of the comments after a position, oldest first. Position -1 is the start.

    Limited comments are left out, unless the viewer may be able to read them: comments for followers are
    included for every viewer, because only callers know the relationships. The result is for
    ``comments_in``, together with other queries, or for ``read_comments``.
    """
    seq, place = divmod(position + 1, comment_rows.CAPACITY)
    rest_of_bucket: Document = {"$slice": ["$comments", place, comment_rows.CAPACITY]}
    return _bucket_queries(
        {"post": post, "thread": thread_id, "seq": {"$gte": seq}},
        ASCENDING,
        {
            "first": {"$cond": [{"$eq": ["$seq", seq]}, place, 0]},
            "comments": {"$cond": [{"$eq": ["$seq", seq]}, rest_of_bucket, "$comments"]},
        },
        {"$add": ["$first", "$at"]},
        limit,
        viewer=viewer,
    )


def comments_before_queries(
    *,
    post: int,
    thread_id: int,
    position: int | None,
    limit: int,
    viewer: int | None = None,
    with_deleted: bool = True,
) -> list[Query]:
    """Return the queries of the comments before a position, newest first. Position None is the end.

    ``viewer`` and the result are as in ``comments_after_queries``.
    """
    query: Document = {"post": post, "thread": thread_id}
    comments: Any = "$comments"
    if position is not None:
        seq, place = divmod(position, comment_rows.CAPACITY)
        query["seq"] = {"$lte": seq} if place else {"$lt": seq}
        if place:
            start_of_bucket = {"$slice": ["$comments", place]}
            comments = {"$cond": [{"$eq": ["$seq", seq]}, start_of_bucket, "$comments"]}
    fields = {"first": {"$size": comments}, "comments": {"$reverseArray": comments}}
    place_of = {"$subtract": [{"$subtract": ["$first", 1]}, "$at"]}
    return _bucket_queries(
        query, DESCENDING, fields, place_of, limit, viewer=viewer, with_deleted=with_deleted
    )


def first_replies(
    *, post: int, thread_ids: Collection[int], limit: int, viewer: int | None = None
) -> dict[int, list[Comment]]:
    """Return the first ``limit`` replies by thread id, without deleted replies. One command.

    ``viewer`` is as in ``comments_after_queries``.
    """
    if not thread_ids:
        return {}
    is_visible = {
        "$and": [{"$not": [{"$eq": ["$$comment.is_deleted", True]}]}, _is_readable(viewer)]
    }
    visible = {
        "$slice": [{"$filter": {"input": "$comments", "as": "comment", "cond": is_visible}}, limit]
    }
    documents = comment_buckets().aggregate(
        [
            {"$match": {"post": post, "thread": {"$in": list(thread_ids)}, "seq": 0}},
            {
                "$project": {
                    "post": 1,
                    "thread": 1,
                    "seq": 1,
                    "ids": "$comments.id",
                    "visible": visible,
                }
            },
            {"$unwind": "$visible"},
            {
                "$project": {
                    "post": 1,
                    "thread": 1,
                    "seq": 1,
                    "place": {"$indexOfArray": ["$ids", "$visible.id"]},
                    "comments": "$visible",
                }
            },
        ],
        batchSize=len(thread_ids) * limit + 1,
    )
    replies: dict[int, list[Comment]] = {}
    for document in documents:
        replies.setdefault(document["thread"], []).append(comment_from_bucket(document))
    return replies


def read_comments(*, queries: Sequence[Query]) -> list[Comment]:
    """Return the comments that these queries find, in order. One command."""
    return comments_in(documents=read_union(queries=queries))


def comments_in(*, documents: Iterable[Document]) -> list[Comment]:
    """Return the comments among the documents that ``read_union`` found, in order."""
    return [comment_from_bucket(document) for document in documents if "place" in document]


def _bucket_queries(
    query: Document,
    order: int,
    fields: Document,
    place: Document,
    limit: int,
    *,
    viewer: int | None,
    with_deleted: bool = True,
) -> list[Query]:
    """Return the query of comments from consecutive buckets, up to ``limit``. ``viewer`` is as in
    ``comments_after_queries``.

    Deleted comments without replies are always left out. ``with_deleted`` keeps deleted comments with
    replies, because a page shows a placeholder above the replies.
    """
    skipped: Document = {"comments.is_deleted": True}
    if with_deleted:
        skipped["comments.replies"] = {"$lte": 0}
        skipped["comments.limited_replies"] = {"$not": {"$gt": 0}}
    pipeline: list[Document] = [
        {"$match": query},
        {"$sort": {"seq": order}},
        {"$project": {"post": 1, "thread": 1, "seq": 1, **fields}},
        {"$unwind": {"path": "$comments", "includeArrayIndex": "at"}},
        {"$match": {"$nor": [skipped], **_readable_comments(viewer)}},
        {"$limit": limit},
        {"$set": {"place": place}},
    ]
    return [(comment_buckets().name, pipeline)]


def _readable_comments(viewer: int | None) -> Document:
    """Return the condition on unwound comments that ``_is_readable`` is on array elements."""
    if viewer is None:
        return {"comments.visibility": {"$in": [None, ""]}}
    return {
        "$or": [
            {"comments.visibility": {"$in": [None, "", FOLLOWERS]}},
            {"comments.uid": viewer},
            {"comments.recipients": viewer},
        ]
    }


def _is_readable(viewer: int | None) -> Document:
    """Return an expression that is false for comments that the viewer cannot read in any case."""
    visibility = {"$ifNull": ["$$comment.visibility", ""]}
    if viewer is None:
        return {"$eq": [visibility, ""]}
    return {
        "$or": [
            {"$in": [visibility, ["", FOLLOWERS]]},
            {"$eq": ["$$comment.uid", viewer]},
            {"$in": [viewer, {"$ifNull": ["$$comment.recipients", []]}]},
        ]
    }
