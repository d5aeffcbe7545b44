"""Read the content of one user, for the user's export.

Queries return pages. ``cursor`` is None for the first page, then the cursor returned with the previous
page. The last page returns None as the cursor. Each page costs one command, with an index.
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
    """A comment. ``parent_id`` is the id of the answered comment, 0 for a comment on the post itself."""

    id: int
    post: int
    parent_id: int
    text: str
    edited_at: datetime | None


def create_indexes() -> None:
    comment_buckets().create_index([("comments.uid", ASCENDING), ("_id", ASCENDING)])
    like_buckets().create_index([("uids", ASCENDING), ("post", ASCENDING)])


def comments_of(*, uid: int, cursor: Any, limit: int) -> tuple[list[ExportedComment], Any]:
    """Return the user's comments in the next ``limit`` buckets, and the next cursor."""
    by_user = {"$filter": {"input": "$comments", "cond": {"$eq": ["$$this.uid", uid]}}}
    buckets = list(
        comment_buckets().aggregate(
            [
                {"$match": {"comments.uid": uid, **_after(cursor)}},
                {"$sort": {"_id": ASCENDING}},
                {"$limit": limit},
                {"$project": {"post": 1, "comments": by_user}},
            ],
            batchSize=limit + 1,
        )
    )
    comments = [
        _exported_comment(bucket["post"], comment)
        for bucket in buckets
        for comment in bucket["comments"]
        if not comment["is_deleted"]
    ]
    return comments, _next_cursor(buckets, limit)


def likes_of(*, uid: int, cursor: Any, limit: int) -> tuple[list[int], Any]:
    """Return the ids of the posts and comments that a user likes, and the next cursor."""
    bounds = IdRange(above=cursor or 0)
    ids = likes.liked_ids_of_user(uid=uid, id_range=bounds, limit=limit, ascending=True)
    return ids, ids[-1] if len(ids) == limit else None


def count_posts(*, author: int) -> tuple[int, int]:
    """Return the number of an author's posts, and the number of pictures in them."""
    documents = posts().aggregate(
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
    for document in documents:
        return document["posts"], document["pictures"]
    return 0, 0


def _after(cursor: Any) -> Document:
    return {} if cursor is None else {"_id": {"$gt": cursor}}


def _next_cursor(buckets: list[Document], limit: int) -> Any:
    return buckets[-1]["_id"] if len(buckets) == limit else None


def _exported_comment(post: int, element: Document) -> ExportedComment:
    edited_at = element["edited_at"]
    return ExportedComment(
        id=element["id"],
        post=post,
        parent_id=element["parent_id"],
        text=element["text"],
        edited_at=edited_at and edited_at.replace(tzinfo=UTC),
    )
