"""Comments on posts, in continuation documents: one list per post, and one per thread.

    comment_buckets {post, thread, seq, n, comments: [<= 50]}                  unique (post, thread, seq)
        each: {id, uid, parent_id, reply_to_uid, text, edited_at, likes, replies, is_deleted}

``thread`` is 0 for a comment on the post itself, otherwise the comment that began the thread.
``parent_id`` is the comment that a reply answers. ``reply_to_uid`` is the author of that comment, unless
they began the thread. A comment never moves, so its *position* (the number of its bucket times the
capacity, plus its index) is its cursor. A deleted comment leaves an empty element in its place.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store import continuation
from accounts.infra.store.connection import Document, session

from .collections import comment_buckets

CAPACITY = 50
BATCH_SIZE = 1000
ID_INDEX = [("comments.id", DESCENDING)]
DELETED_FIELDS: Document = {"is_deleted": True, "uid": 0, "text": "", "likes": 0, "edited_at": None}
"""What is left of one that is deleted."""


@dataclass(frozen=True, slots=True)
class Comment:
    """``replies``: how many there are in the thread it began. Where it ``is_gone`` the rest is empty."""

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


@dataclass(frozen=True, slots=True)
class NewComment:
    """As ``Comment``, before it has a place."""

    post: int
    uid: int
    text: str
    thread_id: int = 0
    parent_id: int = 0
    reply_to_uid: int = 0


def create_indexes() -> None:
    continuation.create_indexes(collection=comment_buckets(), owner_fields=("post", "thread"))
    # The highest id of each bucket first: lists of the newest comments walk it (``newest``).
    comment_buckets().create_index(ID_INDEX)


def add_comment(*, id: int, comment: NewComment) -> None:
    """Only inside a transaction. Raises LookupError if the thread's first comment is not there."""
    if comment.thread_id:
        change_reply_count(post=comment.post, thread=comment.thread_id, change=1)
    continuation.append_element(
        collection=comment_buckets(),
        owner={"post": comment.post, "thread": comment.thread_id},
        array_field="comments",
        element=comment_element(id=id, comment=comment),
        capacity=CAPACITY,
        session=session(),
    )


def comment_element(*, id: int, comment: NewComment, replies: int = 0) -> Document:
    """A comment as its bucket holds it."""
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
    }


def get_comment(*, post: int, id: int) -> Comment | None:
    """One comment, also a deleted one."""
    found = comment_buckets().aggregate(
        [
            {"$match": {"comments.id": id, "post": post}},
            {
                "$project": {
                    "post": 1,
                    "thread": 1,
                    "seq": 1,
                    "place": {"$indexOfArray": ["$comments.id", id]},
                    "comments": _those({"$eq": ["$$one.id", id]}),
                }
            },
            {"$unwind": "$comments"},
        ],
        session=session(),
    )
    for document in found:
        return comment_from_bucket(document)
    return None


def by_ids(*, ids: Collection[int]) -> dict[int, Comment]:
    """Comments on whatever posts, without those that are gone: one command."""
    found = comment_buckets().aggregate(
        [
            {"$match": {"comments.id": {"$in": list(ids)}}},
            {"$unwind": {"path": "$comments", "includeArrayIndex": "place"}},
            {"$match": {"comments.id": {"$in": list(ids)}, "comments.is_deleted": {"$ne": True}}},
            {"$project": {"post": 1, "thread": 1, "seq": 1, "place": 1, "comments": 1}},
        ],
        batchSize=len(ids) + 1,
    )
    return {one.id: one for one in map(comment_from_bucket, found)}


def comments_after(*, post: int, thread_id: int, position: int, limit: int) -> list[Comment]:
    """The first comments behind a position (-1: from the beginning), the oldest first: one command."""
    seq, place = divmod(position + 1, CAPACITY)
    here: Document = {"$slice": ["$comments", place, CAPACITY]}
    return _stretch(
        {"post": post, "thread": thread_id, "seq": {"$gte": seq}},
        ASCENDING,
        {
            "first": {"$cond": [{"$eq": ["$seq", seq]}, place, 0]},
            "comments": {"$cond": [{"$eq": ["$seq", seq]}, here, "$comments"]},
        },
        {"$add": ["$first", "$at"]},
        limit,
    )


def comments_before(
    *, post: int, thread_id: int, position: int | None, limit: int, with_deleted: bool = True
) -> list[Comment]:
    """The last comments before a position (None: from the end), the newest first: one command."""
    within: Document = {"post": post, "thread": thread_id}
    comments: Any = "$comments"
    if position is not None:
        seq, place = divmod(position, CAPACITY)
        within["seq"] = {"$lte": seq} if place else {"$lt": seq}
        if place:
            here = {"$slice": ["$comments", place]}
            comments = {"$cond": [{"$eq": ["$seq", seq]}, here, "$comments"]}
    cut = {"first": {"$size": comments}, "comments": {"$reverseArray": comments}}
    place_of = {"$subtract": [{"$subtract": ["$first", 1]}, "$at"]}
    return _stretch(within, DESCENDING, cut, place_of, limit, with_gone=with_deleted)


def first_replies(
    *, post: int, thread_ids: Collection[int], limit: int
) -> dict[int, list[Comment]]:
    """The first replies in each of these threads: one command."""
    if not thread_ids:
        return {}
    seen = {"$slice": [_those({"$not": [{"$eq": ["$$one.is_deleted", True]}]}), limit]}
    found = comment_buckets().aggregate(
        [
            {"$match": {"post": post, "thread": {"$in": list(thread_ids)}, "seq": 0}},
            {"$project": {"post": 1, "thread": 1, "seq": 1, "ids": "$comments.id", "seen": seen}},
            {"$unwind": "$seen"},
            {
                "$project": {
                    "post": 1,
                    "thread": 1,
                    "seq": 1,
                    "place": {"$indexOfArray": ["$ids", "$seen.id"]},
                    "comments": "$seen",
                }
            },
        ],
        batchSize=len(thread_ids) * limit + 1,
    )
    replies: dict[int, list[Comment]] = {}
    for document in found:
        replies.setdefault(document["thread"], []).append(comment_from_bucket(document))
    return replies


def edit_comment(*, post: int, id: int, uid: int, text: str, edited_at: datetime) -> bool:
    """Whether somebody's comment was there and has another text now. Only inside a transaction."""
    changed = comment_buckets().update_one(
        _where(post, id, uid=uid, is_deleted=False, text={"$ne": text}),
        {"$set": {"comments.$.text": text, "comments.$.edited_at": edited_at}},
        session=session(),
    )
    return bool(changed.matched_count)


def delete_comment(*, post: int, id: int) -> int | None:
    """Leave nothing of a comment but its place; the thread it was in, None if it is gone already.

    Only inside a transaction.
    """
    erased = comment_buckets().find_one_and_update(
        _where(post, id, is_deleted=False),
        {"$set": {f"comments.$.{name}": value for name, value in DELETED_FIELDS.items()}},
        projection={"thread": 1},
        session=session(),
    )
    if erased is None:
        return None
    if erased["thread"]:
        change_reply_count(post=post, thread=erased["thread"], change=-1)
    return int(erased["thread"])


def change_like_count(*, post: int, id: int, change: int) -> None:
    """Only inside a transaction. Raises LookupError if there is no such comment."""
    _count(_where(post, id, is_deleted=False), "likes", change)


def change_reply_count(*, post: int, thread: int, change: int) -> None:
    """As ``count_likes``."""
    _count(_where(post, thread), "replies", change)


def all_comment_ids(*, post: int) -> Iterator[list[int]]:
    """All there ever were, some thousand at a time."""
    ids: list[int] = []
    for bucket in comment_buckets().find({"post": post}, {"comments.id": 1}):
        ids += [comment["id"] for comment in bucket["comments"]]
        if len(ids) >= BATCH_SIZE:
            yield ids
            ids = []
    yield ids


def delete_comments_of_post(*, post: int) -> None:
    comment_buckets().delete_many({"post": post})


def _stretch(
    within: Document,
    order: int,
    cut: Document,
    place: Document,
    limit: int,
    *,
    with_gone: bool = True,
) -> list[Comment]:
    """Buckets one after the other, taken apart until there are enough comments."""
    passed: Document = {"comments.is_deleted": True}
    if with_gone:
        passed["comments.replies"] = {"$lte": 0}
    found = comment_buckets().aggregate(
        [
            {"$match": within},
            {"$sort": {"seq": order}},
            {"$project": {"post": 1, "thread": 1, "seq": 1, **cut}},
            {"$unwind": {"path": "$comments", "includeArrayIndex": "at"}},
            {"$match": {"$nor": [passed]}},
            {"$limit": limit},
            {"$set": {"place": place}},
        ],
        batchSize=limit + 1,
        session=session(),
    )
    return [comment_from_bucket(document) for document in found]


def _those(condition: Document) -> Document:
    return {"$filter": {"input": "$comments", "as": "one", "cond": condition}}


def _where(post: int, id: int, **conditions: Any) -> Document:
    return {"comments": {"$elemMatch": {"id": id, **conditions}}, "post": post}


def _count(where: Document, name: str, by: int) -> None:
    counted = comment_buckets().update_one(
        where, {"$inc": {f"comments.$.{name}": by}}, session=session()
    )
    if not counted.matched_count:
        raise LookupError("There is no such comment.")


def comment_from_bucket(document: Document) -> Comment:
    """From its bucket, taken apart: ``comments`` is the one, ``place`` where it stands."""
    one = document["comments"]
    edited_at = one["edited_at"]
    return Comment(
        id=one["id"],
        post=document["post"],
        thread_id=document["thread"],
        position=document["seq"] * CAPACITY + document["place"],
        uid=one["uid"],
        parent_id=one["parent_id"],
        reply_to_uid=one["reply_to_uid"],
        text=one["text"],
        edited_at=edited_at and edited_at.replace(tzinfo=UTC),
        likes=one["likes"],
        replies=one["replies"],
        is_deleted=one["is_deleted"],
    )
