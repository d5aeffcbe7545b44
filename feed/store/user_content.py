"""What belongs to one person, wherever it stands: for the archive that they take with them.

Some at a time: ``cursor`` is None at first, then what came with the last ones, and None again where there
are no more. Each costs one command, by an index of its own.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo import ASCENDING

from accounts.infra.store.connection import Document

from . import likes
from .collections import comment_buckets, like_buckets, posts
from .post_rows import IdRange


@dataclass(frozen=True, slots=True)
class ExportedComment:
    """A comment. ``parent``: the comment that it answers; 0 for the post."""

    id: int
    post: int
    parent_id: int
    text: str
    edited_at: datetime | None


def create_indexes() -> None:
    comment_buckets().create_index([("comments.uid", ASCENDING), ("_id", ASCENDING)])
    like_buckets().create_index([("uids", ASCENDING), ("post", ASCENDING)])


def comments_of(*, uid: int, cursor: Any, limit: int) -> tuple[list[ExportedComment], Any]:
    """All that somebody has said, from so many buckets."""
    mine = {"$filter": {"input": "$comments", "cond": {"$eq": ["$$this.uid", uid]}}}
    found = list(
        comment_buckets().aggregate(
            [
                {"$match": {"comments.uid": uid, **_behind(cursor)}},
                {"$sort": {"_id": ASCENDING}},
                {"$limit": limit},
                {"$project": {"post": 1, "comments": mine}},
            ],
            batchSize=limit + 1,
        )
    )
    said = [
        _said(bucket["post"], comment)
        for bucket in found
        for comment in bucket["comments"]
        if not comment["is_deleted"]
    ]
    return said, _next(found, limit)


def likes_of(*, uid: int, cursor: Any, limit: int) -> tuple[list[int], Any]:
    """The ids of the posts and comments that somebody likes."""
    bounds = IdRange(above=cursor or 0)
    found = likes.liked_ids_of_user(uid=uid, id_range=bounds, limit=limit, ascending=True)
    return found, found[-1] if len(found) == limit else None


def count_posts(*, author: int) -> tuple[int, int]:
    """How many posts somebody has, and how many pictures with them."""
    counted = posts().aggregate(
        [
            {"$match": {"author_id": author}},
            {
                "$group": {
                    "_id": None,
                    "posts": {"$sum": 1},
                    "pictures": {"$sum": {"$size": "$media"}},
                }
            },
        ]
    )
    for document in counted:
        return document["posts"], document["pictures"]
    return 0, 0


def _behind(cursor: Any) -> Document:
    return {} if cursor is None else {"_id": {"$gt": cursor}}


def _next(found: list[Document], limit: int) -> Any:
    return found[-1]["_id"] if len(found) == limit else None


def _said(post: int, one: Document) -> ExportedComment:
    at = one["edited_at"]
    return ExportedComment(
        one["id"], post, one["parent_id"], one["text"], at and at.replace(tzinfo=UTC)
    )
