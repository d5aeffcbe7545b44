"""Read consecutive comments of a post or a thread (stored by ``comments``).

A comment that the viewer may not read must change nothing: neither the length of a page nor a cursor. So
the query leaves it out before it counts ``limit``. Only a join knows whether the viewer follows the author
of a comment for followers, and few pages need it. So a first command reads without it. If its result is
uncertain, a second one reads with it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query, UnionResult, read_union
from accounts.selectors.follow_graph import followees_lookup

from . import comment_rows
from .collections import comment_buckets
from .comment_rows import FOLLOWERS, Comment, comment_from_bucket


@dataclass(frozen=True, slots=True)
class CommentSequence:
    """Comments of a post (``thread`` 0) or a thread, in one direction from a comment or from an end.

    Attributes:
        cursor: id of the comment beyond which the comments begin. It may be deleted. There are no comments
            beyond an unknown comment. None begins with the oldest or the newest comment.
        is_backwards: True for comments before the cursor, newest first.
        limit: maximum number of comments.
        viewer: limited comments that this user may not read are left out.
        with_deleted: True to keep comments with replies that the viewer may read, if they are deleted or
            limited because of their author.
    """

    post: int
    thread: int
    limit: int
    cursor: int | None = None
    is_backwards: bool = False
    viewer: int | None = None
    with_deleted: bool = True

    def queries(self) -> list[Query]:
        """Return the queries for ``comments_in``, to read the comments with others in one command."""
        return _queries(self, checks_follows=False)

    def comments_in(self, *, union: UnionResult) -> list[Comment]:
        """Return the comments of a result that includes that of ``queries``, in order.

        One command if a comment is uncertain, otherwise none.
        """
        rows = [comment_from_bucket(document) for document in union.having("thread")]
        if not any(_is_uncertain(row, self.viewer) for row in rows):
            return rows
        union = read_union(queries=_queries(self, checks_follows=True))
        return [comment_from_bucket(document) for document in union.having("thread")]

    def read(self) -> list[Comment]:
        """Return the comments, in order. One command, or two if a comment is uncertain."""
        return self.comments_in(union=read_union(queries=self.queries()))


def first_replies(
    *, post: int, thread_ids: Collection[int], limit: int, viewer: int | None = None
) -> dict[int, list[Comment]]:
    """Return the first ``limit`` replies by thread id, without deleted replies and those that the viewer
    may not read. One command, or two if a reply is uncertain.
    """
    if not thread_ids:
        return {}
    rows = _first_replies(post, thread_ids, limit, viewer, checks_follows=False)
    if any(_is_uncertain(row, viewer) for row in rows):
        rows = _first_replies(post, thread_ids, limit, viewer, checks_follows=True)
    replies: dict[int, list[Comment]] = {}
    for row in rows:
        replies.setdefault(row.thread_id, []).append(row)
    return replies


def _first_replies(
    post: int, thread_ids: Collection[int], limit: int, viewer: int | None, *, checks_follows: bool
) -> list[Comment]:
    is_readable = _is_readable(viewer, "$$this", checks_follows=checks_follows)
    documents = comment_buckets().aggregate(
        [
            {"$match": {"post": post, "thread": {"$in": list(thread_ids)}, "seq": 0}},
            *(_follow_stages(viewer) if checks_follows else ()),
            {
                "$project": {
                    "post": 1,
                    "thread": 1,
                    "comments": {"$slice": [_filter(is_readable), limit]},
                }
            },
            {"$unwind": "$comments"},
        ],
        batchSize=len(thread_ids) * limit + 1,
    )
    return [comment_from_bucket(document) for document in documents]


def _is_uncertain(row: Comment, viewer: int | None) -> bool:
    """Return whether only follows decide if the row belongs on the page."""
    if row.is_deleted:
        return row.replies <= 0 and row.limited_replies > 0
    is_for_followers = row.is_author_limited or row.visibility == FOLLOWERS
    return is_for_followers and viewer not in (None, row.uid, *row.recipients)


def _queries(sequence: CommentSequence, *, checks_follows: bool) -> list[Query]:
    """Return the query of a sequence. The index on ``comments.id`` finds the bucket of its cursor."""
    post, viewer, cursor = sequence.post, sequence.viewer, sequence.cursor
    buckets: Document = {"post": post, "thread": sequence.thread}
    comments: Any = "$comments"
    if cursor is not None:
        buckets["$expr"] = {"$lte" if sequence.is_backwards else "$gte": ["$seq", "$$seq"]}
        rest: Document = {"$slice": [comments, {"$add": ["$$place", 1]}, comment_rows.CAPACITY]}
        if sequence.is_backwards:
            rest = {"$slice": [comments, "$$place"]}
        comments = {"$cond": [{"$eq": ["$seq", "$$seq"]}, rest, comments]}
    if sequence.is_backwards:
        comments = {"$reverseArray": comments}
    with_placeholders = sequence.with_deleted and not sequence.thread  # replies have no replies
    pipeline: list[Document] = [
        {"$match": buckets},
        {"$sort": {"seq": DESCENDING if sequence.is_backwards else ASCENDING}},
        {"$project": {"post": 1, "thread": 1, "comments": comments}},
    ]
    if checks_follows:
        pipeline += _follow_stages(viewer)
        if with_placeholders:
            pipeline += _placeholder_stages(post, viewer)
    is_on_page = _is_readable(viewer, "$comments", checks_follows=checks_follows)
    if with_placeholders:
        has_replies = _has_replies(viewer, checks_follows=checks_follows)
        is_empty = {"$or": ["$comments.is_deleted", "$comments.is_author_limited"]}
        is_placeholder = {"$and": [is_empty, has_replies]}
        is_on_page = {"$or": [is_on_page, is_placeholder]}
    pipeline += [
        {"$unwind": "$comments"},
        {"$match": {"$expr": is_on_page}},
        {"$limit": sequence.limit},
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
    find_cursor = {"comments.id": cursor, "post": post, "thread": sequence.thread}
    stages: list[Document] = [
        {"$match": find_cursor},
        {"$lookup": lookup},
        {"$unwind": "$rows"},
        {"$replaceRoot": {"newRoot": "$rows"}},
    ]
    return [(name, stages)]


def _has_replies(viewer: int | None, *, checks_follows: bool) -> Document:
    """Return whether the viewer may read a reply to an unwound comment, as an expression.

    Without ``checks_follows``, limited replies count for all users.
    """
    has_public: Document = {"$gt": ["$comments.replies", 0]}
    if viewer is None:
        return has_public
    if checks_follows:
        return {"$or": [has_public, {"$in": ["$comments.id", "$limited_threads.thread"]}]}
    return {"$or": [has_public, {"$gt": ["$comments.limited_replies", 0]}]}


def _is_readable(viewer: int | None, comment: str, *, checks_follows: bool) -> Document:
    """Return whether a comment is not deleted and the viewer may read it, as an expression.

    With ``checks_follows``, the expression needs the fields that ``_follow_stages`` sets. Otherwise all
    users may read comments for followers.
    """
    visibility = {"$ifNull": [f"{comment}.visibility", ""]}
    readers: list[Document] = [{"$eq": [visibility, ""]}]
    if viewer is not None:
        is_for_followers: Document = {"$eq": [visibility, FOLLOWERS]}
        if checks_follows:
            is_follower = {"$in": [f"{comment}.uid", "$followed.followee"]}
            is_for_followers = {"$and": [is_for_followers, is_follower]}
        readers += [
            {"$eq": [f"{comment}.uid", viewer]},
            {"$in": [viewer, {"$ifNull": [f"{comment}.recipients", []]}]},
            is_for_followers,
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
    has_readable = {
        "$gt": [{"$size": _filter(_is_readable(viewer, "$$this", checks_follows=True))}, 0]
    }
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
