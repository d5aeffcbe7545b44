"""Comments on posts, in buckets of up to 50. Each post and each thread has its own sequence of buckets.

    comment_buckets {post, thread, seq, n, comments: [<= 50]}                  unique (post, thread, seq)
        each: {id, uid, parent_id, reply_to_uid, text, edited_at, likes, replies, is_deleted,
               content_warning?, visibility?, recipients?, limited_replies?}

``seq`` numbers the buckets of a sequence from 0. ``n`` is the number of elements of ``comments``.
``thread`` is 0 for a comment on the post itself. For a reply, ``thread`` is the id of the comment that
began the thread. ``parent_id`` is the id of the answered comment. ``reply_to_uid`` is the author of the
answered comment, or 0 if that comment began the thread.

The *position* of a comment is ``seq`` of its bucket times the capacity, plus its index in the bucket. Pages
use positions as cursors, because a comment never moves: a deleted comment leaves an empty element.

A comment with a ``visibility`` of its own is *limited*: only its author and its ``recipients`` may read it,
and with "followers" also the author's followers. Counters and ``newest_comments`` of the post leave limited
comments out. ``limited_replies`` counts the limited replies in a thread, ``replies`` the others.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store import continuation
from accounts.infra.store.connection import Document, session
from accounts.infra.store.unions import Query, read_union
from feed.models import Post

from .collections import comment_buckets

CAPACITY = 50
BATCH_SIZE = 1000
ID_INDEX = [("comments.id", DESCENDING)]
FOLLOWERS = Post.Visibility.FOLLOWERS.value
DELETED_FIELDS: Document = {
    "is_deleted": True,
    "uid": 0,
    "text": "",
    "likes": 0,
    "edited_at": None,
    "content_warning": "",
    "visibility": "",
    "recipients": [],
}
"""The values that replace the content of a deleted comment. ``replies`` stays, because replies remain."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment. A deleted comment has the uid 0 and no text.

    Attributes:
        replies: number of replies in the thread that the comment began, 0 for a reply.
        limited_replies: number of further replies that are limited.
        visibility: "" if everyone who can read the post can read the comment, else "followers" or
            "direct", as in ``Post.Visibility``.
        recipients: uids of the users who can read a limited comment, besides its author.
    """

    id: int
    post: int
    thread_id: int
    position: int
    uid: int
    parent_id: int
    reply_to_uid: int
    text: str
    edited_at: datetime | None
    likes: int
    replies: int
    is_deleted: bool
    content_warning: str = ""
    visibility: str = ""
    recipients: tuple[int, ...] = ()
    limited_replies: int = 0


@dataclass(frozen=True, slots=True)
class NewComment:
    """The content of a comment that is not stored yet, as in ``Comment``."""

    post: int
    uid: int
    text: str
    thread_id: int = 0
    parent_id: int = 0
    reply_to_uid: int = 0
    content_warning: str = ""
    visibility: str = ""
    recipients: tuple[int, ...] = ()

    @property
    def is_limited(self) -> bool:
        return bool(self.visibility)


def create_indexes() -> None:
    continuation.create_indexes(collection=comment_buckets(), owner_fields=("post", "thread"))
    # Descending, because ``comment_pages.newest_comments`` reads this index from the highest id.
    comment_buckets().create_index(ID_INDEX)


def add_comment(*, id: int, comment: NewComment) -> None:
    """Append a comment and count it in its thread. Only inside a transaction.

    Raises LookupError if the first comment of the thread does not exist.
    """
    if comment.thread_id:
        change_reply_count(
            post=comment.post, thread=comment.thread_id, change=1, is_limited=comment.is_limited
        )
    continuation.append_element(
        collection=comment_buckets(),
        owner={"post": comment.post, "thread": comment.thread_id},
        array_field="comments",
        element=comment_element(id=id, comment=comment),
        capacity=CAPACITY,
        session=session(),
    )


def add_first_comment(*, id: int, comment: NewComment) -> None:
    """Add the first comment on a post. Only inside a transaction.

    One command, where ``add_comment`` takes three.

    Raises ``continuation.BucketExists`` if the post has or had comments.
    """
    continuation.insert_first_element(
        collection=comment_buckets(),
        owner={"post": comment.post, "thread": 0},
        array_field="comments",
        element=comment_element(id=id, comment=comment),
        session=session(),
    )


def comment_element(*, id: int, comment: NewComment, replies: int = 0) -> Document:
    """Return the array element that stores a new comment. Empty optional fields are not stored."""
    optional: Document = {
        "content_warning": comment.content_warning,
        "visibility": comment.visibility,
        "recipients": list(comment.recipients),
    }
    return {
        "id": id,
        "uid": comment.uid,
        "parent_id": comment.parent_id,
        "reply_to_uid": comment.reply_to_uid,
        "text": comment.text,
        "edited_at": None,
        "likes": 0,
        "replies": replies,
        "is_deleted": False,
        **{name: value for name, value in optional.items() if value},
    }


def get_comment(*, post: int, id: int) -> Comment | None:
    """Return a comment, deleted or not, or None if the post has no comment with this id."""
    documents = comment_buckets().aggregate(
        [
            {"$match": {"comments.id": id, "post": post}},
            {
                "$project": {
                    "post": 1,
                    "thread": 1,
                    "seq": 1,
                    "place": {"$indexOfArray": ["$comments.id", id]},
                    "comments": _filter_comments({"$eq": ["$$comment.id", id]}),
                }
            },
            {"$unwind": "$comments"},
        ],
        session=session(),
    )
    for document in documents:
        return comment_from_bucket(document)
    return None


def by_ids(*, ids: Collection[int]) -> dict[int, Comment]:
    """Return a mapping of ids to comments of any posts, without deleted comments. One command."""
    documents = comment_buckets().aggregate(
        [
            {"$match": {"comments.id": {"$in": list(ids)}}},
            {"$unwind": {"path": "$comments", "includeArrayIndex": "place"}},
            {"$match": {"comments.id": {"$in": list(ids)}, "comments.is_deleted": {"$ne": True}}},
            {"$project": {"post": 1, "thread": 1, "seq": 1, "place": 1, "comments": 1}},
        ],
        batchSize=len(ids) + 1,
    )
    return {comment.id: comment for comment in map(comment_from_bucket, documents)}


def comments_after(
    *, post: int, thread_id: int, position: int, limit: int, viewer: int | None = None
) -> list[Comment]:
    """Return the comments after a position, oldest first. Position -1 is the start. One command.

    Limited comments are left out, unless the viewer may be able to read them: comments for followers are
    included for every viewer, because only callers know the relationships.
    """
    queries = comments_after_queries(
        post=post, thread_id=thread_id, position=position, limit=limit, viewer=viewer
    )
    return comments_in(documents=read_union(queries=queries))


def comments_after_queries(
    *, post: int, thread_id: int, position: int, limit: int, viewer: int | None = None
) -> list[Query]:
    """Return the queries of ``comments_after``, for ``comments_in``."""
    seq, place = divmod(position + 1, CAPACITY)
    rest_of_bucket: Document = {"$slice": ["$comments", place, CAPACITY]}
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


def comments_before(
    *,
    post: int,
    thread_id: int,
    position: int | None,
    limit: int,
    viewer: int | None = None,
    with_deleted: bool = True,
) -> list[Comment]:
    """Return the comments before a position, newest first. Position None is the end. One command.

    ``viewer`` is as in ``comments_after``.
    """
    queries = comments_before_queries(
        post=post,
        thread_id=thread_id,
        position=position,
        limit=limit,
        viewer=viewer,
        with_deleted=with_deleted,
    )
    return comments_in(documents=read_union(queries=queries))


def comments_before_queries(
    *,
    post: int,
    thread_id: int,
    position: int | None,
    limit: int,
    viewer: int | None = None,
    with_deleted: bool = True,
) -> list[Query]:
    """Return the queries of ``comments_before``, for ``comments_in``."""
    query: Document = {"post": post, "thread": thread_id}
    comments: Any = "$comments"
    if position is not None:
        seq, place = divmod(position, CAPACITY)
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

    ``viewer`` is as in ``comments_after``.
    """
    if not thread_ids:
        return {}
    is_visible = {
        "$and": [{"$not": [{"$eq": ["$$comment.is_deleted", True]}]}, _is_readable(viewer)]
    }
    visible = {"$slice": [_filter_comments(is_visible), limit]}
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


def edit_comment(
    *,
    post: int,
    id: int,
    uid: int,
    text: str,
    content_warning: str,
    new_recipients: Collection[int] = (),
    edited_at: datetime,
) -> bool:
    """Change the text and content warning of a user's comment, and add recipients if it is limited.

    Return False if nothing changed. Only inside a transaction.
    """
    other_warning: Any = {"$ne": content_warning} if content_warning else {"$nin": [None, ""]}
    changes = {"text": text, "content_warning": content_warning, "edited_at": edited_at}
    update: Document = {"$set": {f"comments.$.{name}": value for name, value in changes.items()}}
    if new_recipients:
        update["$addToSet"] = {"comments.$.recipients": {"$each": list(new_recipients)}}
    result = comment_buckets().update_one(
        _element_query(
            post,
            id,
            uid=uid,
            is_deleted=False,
            **{"$or": [{"text": {"$ne": text}}, {"content_warning": other_warning}]},
        ),
        update,
        session=session(),
    )
    return bool(result.matched_count)


def delete_comment(*, post: int, id: int) -> bool | None:
    """Empty a comment's element. Return whether it was limited, or None if it is missing or deleted.

    Only inside a transaction.
    """
    bucket = comment_buckets().find_one_and_update(
        _element_query(post, id, is_deleted=False),
        {"$set": {f"comments.$.{name}": value for name, value in DELETED_FIELDS.items()}},
        projection={"thread": 1, "comments": {"$elemMatch": {"id": id}}},
        session=session(),
    )
    if bucket is None:
        return None
    is_limited = bool(bucket["comments"][0].get("visibility"))
    if bucket["thread"]:
        change_reply_count(post=post, thread=bucket["thread"], change=-1, is_limited=is_limited)
    return is_limited


def change_like_count(*, post: int, id: int, change: int) -> None:
    """Change the number of likes. Only inside a transaction. Raises LookupError for a missing comment."""
    _increase(_element_query(post, id, is_deleted=False), "likes", change)


def change_reply_count(*, post: int, thread: int, change: int, is_limited: bool) -> None:
    """Change a number of replies of a thread, as ``change_like_count`` does for likes."""
    counter = "limited_replies" if is_limited else "replies"
    _increase(_element_query(post, thread), counter, change)


def all_comment_ids(*, post: int) -> Iterator[list[int]]:
    """Yield lists of about ``BATCH_SIZE`` ids of all comments on a post, including deleted comments."""
    ids: list[int] = []
    for bucket in comment_buckets().find({"post": post}, {"comments.id": 1}):
        ids += [comment["id"] for comment in bucket["comments"]]
        if len(ids) >= BATCH_SIZE:
            yield ids
            ids = []
    yield ids


def delete_comments_of_post(*, post: int) -> None:
    comment_buckets().delete_many({"post": post})


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
    ``comments_after``.

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


def comments_in(*, documents: Iterable[Document]) -> list[Comment]:
    """Return the comments among the documents that ``read_union`` found, in order."""
    return [comment_from_bucket(document) for document in documents if "place" in document]


def _filter_comments(condition: Document) -> Document:
    return {"$filter": {"input": "$comments", "as": "comment", "cond": condition}}


def _element_query(post: int, id: int, **conditions: Any) -> Document:
    return {"comments": {"$elemMatch": {"id": id, **conditions}}, "post": post}


def _increase(query: Document, counter: str, change: int) -> None:
    result = comment_buckets().update_one(
        query, {"$inc": {f"comments.$.{counter}": change}}, session=session()
    )
    if not result.matched_count:
        raise LookupError("There is no such comment.")


def comment_from_bucket(document: Document) -> Comment:
    """Return a comment from a bucket after ``$unwind``.

    ``comments`` is now one array element and ``place`` the index of that element.
    """
    element = document["comments"]
    edited_at = element["edited_at"]
    return Comment(
        id=element["id"],
        post=document["post"],
        thread_id=document["thread"],
        position=document["seq"] * CAPACITY + document["place"],
        uid=element["uid"],
        parent_id=element["parent_id"],
        reply_to_uid=element["reply_to_uid"],
        text=element["text"],
        edited_at=edited_at and edited_at.replace(tzinfo=UTC),
        likes=element["likes"],
        replies=element["replies"],
        is_deleted=element["is_deleted"],
        content_warning=element.get("content_warning", ""),
        visibility=element.get("visibility", ""),
        recipients=tuple(element.get("recipients", ())),
        limited_replies=element.get("limited_replies", 0),
    )
