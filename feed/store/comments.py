"""What people say to a post, in continuation documents: one list for the post, and one for each comment
that was answered.

    comment_buckets {post, thread, seq, n, comments: [<= 50]}                  unique (post, thread, seq)
        each: {id, uid, parent, to, text, edited_at, likes, replies, gone}

``thread`` is 0 for what is said to the post itself, else the comment that began it; ``parent`` is the one
that is answered, and ``to`` who wrote it where that is not who began the thread. A comment never moves, so
its *position* (the number of its bucket times the capacity, and its place in it) is its cursor. One that is
deleted leaves its place behind, with nothing in it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts import continuation

from .collections import Document, comment_buckets, session

CAPACITY = 50
AT_ONCE = 1000
BY_ID = [("comments.id", DESCENDING)]
NOTHING: Document = {"gone": True, "uid": 0, "text": "", "likes": 0, "edited_at": None}
"""What is left of one that is deleted."""


@dataclass(frozen=True, slots=True)
class Comment:
    """``replies``: how many there are in the thread it began. Where it ``is_gone`` the rest is empty."""

    id: int
    post: int
    thread: int
    position: int
    uid: int
    parent: int
    to: int
    text: str
    edited_at: datetime | None
    likes: int
    replies: int
    is_gone: bool


@dataclass(frozen=True, slots=True)
class NewComment:
    """As ``Comment``, before it has a place."""

    post: int
    uid: int
    text: str
    thread: int = 0
    parent: int = 0
    to: int = 0


def prepare() -> None:
    continuation.prepare(collection=comment_buckets(), whose=("post", "thread"))
    # The highest id of each bucket first: lists of the newest comments walk it (``newest``).
    comment_buckets().create_index(BY_ID)


def add(*, id: int, comment: NewComment) -> None:
    """Only inside a transaction. Raises LookupError if the thread's first comment is not there."""
    if comment.thread:
        count_replies(post=comment.post, thread=comment.thread, by=1)
    continuation.append(
        collection=comment_buckets(),
        whose={"post": comment.post, "thread": comment.thread},
        items="comments",
        item=item_of(id=id, comment=comment),
        capacity=CAPACITY,
        session=session(),
    )


def item_of(*, id: int, comment: NewComment, replies: int = 0) -> Document:
    """A comment as its bucket holds it."""
    return {
        "id": id,
        "uid": comment.uid,
        "parent": comment.parent,
        "to": comment.to,
        "text": comment.text,
        "edited_at": None,
        "likes": 0,
        "replies": replies,
        "gone": False,
    }


def get(*, post: int, id: int) -> Comment | None:
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
    for one in found:
        return comment_of(one)
    return None


def by_ids(*, ids: Collection[int]) -> dict[int, Comment]:
    """Comments on whatever posts, without those that are gone: one command."""
    found = comment_buckets().aggregate(
        [
            {"$match": {"comments.id": {"$in": list(ids)}}},
            {"$unwind": {"path": "$comments", "includeArrayIndex": "place"}},
            {"$match": {"comments.id": {"$in": list(ids)}, "comments.gone": {"$ne": True}}},
            {"$project": {"post": 1, "thread": 1, "seq": 1, "place": 1, "comments": 1}},
        ],
        batchSize=len(ids) + 1,
    )
    return {one.id: one for one in map(comment_of, found)}


def after(*, post: int, thread: int, position: int, limit: int) -> list[Comment]:
    """The first comments behind a position (-1: from the beginning), the oldest first: one command."""
    seq, place = divmod(position + 1, CAPACITY)
    here: Document = {"$slice": ["$comments", place, CAPACITY]}
    return _stretch(
        {"post": post, "thread": thread, "seq": {"$gte": seq}},
        ASCENDING,
        {
            "first": {"$cond": [{"$eq": ["$seq", seq]}, place, 0]},
            "comments": {"$cond": [{"$eq": ["$seq", seq]}, here, "$comments"]},
        },
        {"$add": ["$first", "$at"]},
        limit,
    )


def before(
    *, post: int, thread: int, position: int | None, limit: int, with_gone: bool = True
) -> list[Comment]:
    """The last comments before a position (None: from the end), the newest first: one command."""
    within: Document = {"post": post, "thread": thread}
    comments: Any = "$comments"
    if position is not None:
        seq, place = divmod(position, CAPACITY)
        within["seq"] = {"$lte": seq} if place else {"$lt": seq}
        if place:
            here = {"$slice": ["$comments", place]}
            comments = {"$cond": [{"$eq": ["$seq", seq]}, here, "$comments"]}
    cut = {"first": {"$size": comments}, "comments": {"$reverseArray": comments}}
    place_of = {"$subtract": [{"$subtract": ["$first", 1]}, "$at"]}
    return _stretch(within, DESCENDING, cut, place_of, limit, with_gone=with_gone)


def first_of(*, post: int, threads: Collection[int], limit: int) -> dict[int, list[Comment]]:
    """The first replies in each of these threads: one command."""
    if not threads:
        return {}
    seen = {"$slice": [_those({"$not": [{"$eq": ["$$one.gone", True]}]}), limit]}
    found = comment_buckets().aggregate(
        [
            {"$match": {"post": post, "thread": {"$in": list(threads)}, "seq": 0}},
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
        batchSize=len(threads) * limit + 1,
    )
    replies: dict[int, list[Comment]] = {}
    for one in found:
        replies.setdefault(one["thread"], []).append(comment_of(one))
    return replies


def change(*, post: int, id: int, uid: int, text: str, at: datetime) -> bool:
    """Whether somebody's comment was there and has another text now. Only inside a transaction."""
    changed = comment_buckets().update_one(
        _where(post, id, uid=uid, gone=False, text={"$ne": text}),
        {"$set": {"comments.$.text": text, "comments.$.edited_at": at}},
        session=session(),
    )
    return bool(changed.matched_count)


def erase(*, post: int, id: int) -> int | None:
    """Leave nothing of a comment but its place; the thread it was in, None if it is gone already.

    Only inside a transaction.
    """
    erased = comment_buckets().find_one_and_update(
        _where(post, id, gone=False),
        {"$set": {f"comments.$.{name}": value for name, value in NOTHING.items()}},
        projection={"thread": 1},
        session=session(),
    )
    if erased is None:
        return None
    if erased["thread"]:
        count_replies(post=post, thread=erased["thread"], by=-1)
    return int(erased["thread"])


def count_likes(*, post: int, id: int, by: int) -> None:
    """Only inside a transaction. Raises LookupError if there is no such comment."""
    _count(_where(post, id, gone=False), "likes", by)


def count_replies(*, post: int, thread: int, by: int) -> None:
    """As ``count_likes``."""
    _count(_where(post, thread), "replies", by)


def ids_of(*, post: int) -> Iterator[list[int]]:
    """All there ever were, some thousand at a time."""
    ids: list[int] = []
    for bucket in comment_buckets().find({"post": post}, {"comments.id": 1}):
        ids += [comment["id"] for comment in bucket["comments"]]
        if len(ids) >= AT_ONCE:
            yield ids
            ids = []
    yield ids


def delete_all_of(*, post: int) -> None:
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
    passed: Document = {"comments.gone": True}
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
    return [comment_of(one) for one in found]


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


def comment_of(document: Document) -> Comment:
    """From its bucket, taken apart: ``comments`` is the one, ``place`` where it stands."""
    one = document["comments"]
    edited_at = one["edited_at"]
    return Comment(
        id=one["id"],
        post=document["post"],
        thread=document["thread"],
        position=document["seq"] * CAPACITY + document["place"],
        uid=one["uid"],
        parent=one["parent"],
        to=one["to"],
        text=one["text"],
        edited_at=edited_at and edited_at.replace(tzinfo=UTC),
        likes=one["likes"],
        replies=one["replies"],
        is_gone=one["gone"],
    )
