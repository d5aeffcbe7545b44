"""Read consecutive comments of a post or a thread (stored by ``comments``).

A comment that the viewer may not read changes nothing in the result: the query leaves it out before it
counts ``limit``, and cursors are ids of other comments.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query, read_union
from accounts.selectors.follow_graph import followees_lookup
from feed.models import Post

from . import comment_rows
from .collections import comment_buckets
from .comment_rows import Comment, comment_from_bucket

FOLLOWERS = Post.Visibility.FOLLOWERS.value


def comments_after_queries(
    *, post: int, thread_id: int, after: int | None, limit: int, viewer: int | None = None
) -> list[Query]:
    """Return the queries of the comments after a comment, oldest first, or of the oldest comments.

    The result is for ``comments_in``, together with other queries, or for ``read_comments``.

    Args:
        after: id of a comment, which may be deleted. There are no comments after an unknown comment.
        viewer: limited comments that this user may not read are left out.
    """
    return _queries(post, thread_id, after, ASCENDING, limit, viewer)


def comments_before_queries(
    *,
    post: int,
    thread_id: int,
    before: int | None,
    limit: int,
    viewer: int | None = None,
    with_deleted: bool = True,
) -> list[Query]:
    """Return the queries of the comments before a comment, newest first, or of the newest comments.

    The arguments and the result are as in ``comments_after_queries``. ``with_deleted`` keeps deleted
    comments with replies that the viewer may read.
    """
    return _queries(post, thread_id, before, DESCENDING, limit, viewer, with_deleted=with_deleted)


def first_replies(
    *, post: int, thread_ids: Collection[int], limit: int, viewer: int | None = None
) -> dict[int, list[Comment]]:
    """Return the first ``limit`` replies by thread id, without deleted replies. One command.

    ``viewer`` is as in ``comments_after_queries``.
    """
    if not thread_ids:
        return {}
    documents = comment_buckets().aggregate(
        [
            {"$match": {"post": post, "thread": {"$in": list(thread_ids)}, "seq": 0}},
            *_follow_stages(viewer),
            {
                "$project": {
                    "post": 1,
                    "thread": 1,
                    "comments": {"$slice": [_filter(_is_readable(viewer, "$$this")), limit]},
                }
            },
            {"$unwind": "$comments"},
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
    return [comment_from_bucket(document) for document in documents if "thread" in document]


def _queries(
    post: int,
    thread_id: int,
    cursor: int | None,
    order: int,
    limit: int,
    viewer: int | None,
    *,
    with_deleted: bool = True,
) -> list[Query]:
    """Return the query of the comments beyond the comment ``cursor``, up to ``limit``.

    The index on ``comments.id`` finds the bucket of the cursor, where reading begins.
    """
    buckets: Document = {"post": post, "thread": thread_id}
    comments: Any = "$comments"
    if cursor is not None:
        buckets["$expr"] = {"$gte" if order == ASCENDING else "$lte": ["$seq", "$$seq"]}
        rest: Document = {"$slice": [comments, {"$add": ["$$place", 1]}, comment_rows.CAPACITY]}
        if order == DESCENDING:
            rest = {"$slice": [comments, "$$place"]}
        comments = {"$cond": [{"$eq": ["$seq", "$$seq"]}, rest, comments]}
    if order == DESCENDING:
        comments = {"$reverseArray": comments}
    pipeline: list[Document] = [
        {"$match": buckets},
        {"$sort": {"seq": order}},
        {"$project": {"post": 1, "thread": 1, "comments": comments}},
        *_follow_stages(viewer),
        *(_placeholder_stages(post, viewer) if with_deleted and not thread_id else ()),
        {"$unwind": "$comments"},
        {"$match": {"$expr": _is_on_page(viewer, with_deleted=with_deleted, thread_id=thread_id)}},
        {"$limit": limit},
        {"$project": {"post": 1, "thread": 1, "comments": 1}},
    ]
    name = comment_buckets().name
    if cursor is None:
        return [(name, pipeline)]
    place = {"$indexOfArray": ["$comments.id", cursor]}
    lookup = {
        "from": name,
        "let": {"seq": "$seq", "place": place},
        "pipeline": pipeline,
        "as": "rows",
    }
    return [
        (
            name,
            [
                {"$match": {"comments.id": cursor, "post": post, "thread": thread_id}},
                {"$lookup": lookup},
                {"$unwind": "$rows"},
                {"$replaceRoot": {"newRoot": "$rows"}},
            ],
        )
    ]


def _is_on_page(viewer: int | None, *, with_deleted: bool, thread_id: int) -> Document:
    """Return whether a page contains an unwound comment, perhaps as a placeholder, as an expression."""
    is_shown = _is_readable(viewer, "$comments")
    if not with_deleted or thread_id:  # replies have no replies of their own
        return is_shown
    is_parent: list[Document] = [{"$gt": ["$comments.replies", 0]}]
    if viewer is not None:
        is_parent.append({"$in": ["$comments.id", "$limited_threads.thread"]})
    return {"$or": [is_shown, {"$and": ["$comments.is_deleted", {"$or": is_parent}]}]}


def _is_readable(viewer: int | None, comment: str) -> Document:
    """Return whether a comment is not deleted and the viewer may read it, as an expression.

    The expression needs the fields that ``_follow_stages`` sets.
    """
    visibility = {"$ifNull": [f"{comment}.visibility", ""]}
    readers: list[Document] = [{"$eq": [visibility, ""]}]
    if viewer is not None:
        is_follower = {"$in": [f"{comment}.uid", "$followed.followee"]}
        readers += [
            {"$eq": [f"{comment}.uid", viewer]},
            {"$in": [viewer, {"$ifNull": [f"{comment}.recipients", []]}]},
            {"$and": [{"$eq": [visibility, FOLLOWERS]}, is_follower]},
        ]
    return {"$and": [{"$not": [f"{comment}.is_deleted"]}, {"$or": readers}]}


def _follow_stages(viewer: int | None) -> list[Document]:
    """Return the stages that set ``followed``: follows of authors of comments for followers.

    They look follows up once per bucket.
    """
    if viewer is None:
        return []
    authors = {
        "$map": {"input": _filter({"$eq": ["$$this.visibility", FOLLOWERS]}), "in": "$$this.uid"}
    }
    return [
        {"$set": {"authors": authors}},
        followees_lookup(follower=viewer, followees="authors", result="followed"),
    ]


def _placeholder_stages(post: int, viewer: int | None) -> list[Document]:
    """Return the stages that set ``limited_threads``: threads of which only limited replies remain.

    Only those in which the viewer may read a reply, because a page shows a placeholder above the reply.
    """
    if viewer is None:
        return []
    has_only_limited = {
        "$and": [
            "$$this.is_deleted",
            {"$lte": ["$$this.replies", 0]},
            {"$gt": ["$$this.limited_replies", 0]},
        ]
    }
    has_readable = {"$gt": [{"$size": _filter(_is_readable(viewer, "$$this"))}, 0]}
    lookup = {
        "from": comment_buckets().name,
        "localField": "limited_ids",
        "foreignField": "thread",
        "pipeline": [
            {"$match": {"post": post}},
            *_follow_stages(viewer),
            {"$match": {"$expr": has_readable}},
            {"$project": {"_id": 0, "thread": 1}},
        ],
        "as": "limited_threads",
    }
    ids = {"$map": {"input": _filter(has_only_limited), "in": "$$this.id"}}
    return [{"$set": {"limited_ids": ids}}, {"$lookup": lookup}]


def _filter(condition: Document) -> Document:
    return {"$filter": {"input": "$comments", "cond": condition}}
