"""Pending cleanups after deletions.

    pending_cleanups {_id, post, noted_at,
                      deleted_post?: {author_id, visibility, recipients, attributes, hidden}}

``_id`` is the id of a deleted post, or of a deleted comment on ``post``. The document is inserted before
the deletion, and removed after all data that refers to the post or comment is deleted. If a process dies
in between, ``sweep`` finishes the cleanup. Streams learn from ``deleted_post`` who could read the post.
"""

from collections.abc import Collection
from datetime import datetime

from pymongo import ASCENDING

from accounts.infra.store.connection import Document
from feed.models import Post

from .collections import OF_CONTENTS, OF_POSTS, pending_cleanups


def create_indexes() -> None:
    pending_cleanups().create_index([("noted_at", ASCENDING)])


def add_cleanup(
    *, id: int, post: int | None, noted_at: datetime, deleted_post: Post | None = None
) -> None:
    """Record a cleanup. Safe to repeat."""
    fields: Document = {"post": post, "noted_at": noted_at}
    if deleted_post is not None:
        names = ("author_id", "visibility", "recipients", "attributes", "hidden")
        fields["deleted_post"] = {name: getattr(deleted_post, name) for name in names}
    pending_cleanups().update_one({"_id": id}, {"$set": fields}, upsert=True)


def remove_cleanup(*, id: int) -> None:
    pending_cleanups().delete_one({"_id": id})


def delete_post_data(*, id: int) -> None:
    """Delete the likes, answers, comments and other documents of a post. One command per collection."""
    for collection in OF_POSTS:
        collection().delete_many({"post": id})


def delete_comment_data(*, ids: Collection[int]) -> None:
    """Delete the likes and bookmarks of comments."""
    for collection in OF_CONTENTS:
        collection().delete_many({"post": {"$in": list(ids)}})


def due_cleanups(*, before: datetime, limit: int) -> list[tuple[int, int | None]]:
    """Return the oldest cleanups recorded up to ``before``.

    Each is the id of the deleted post or comment, and the post of the comment, None for a post.
    """
    documents = (
        pending_cleanups()
        .find({"noted_at": {"$lte": before}})
        .sort("noted_at", ASCENDING)
        .limit(limit)
    )
    return [(document["_id"], document["post"]) for document in documents]


def delete_readers(*, uid: int) -> None:
    """Delete what cleanups say about the posts of a user, and of others who wrote to the user or of them.

    Streams have read it long before.
    """
    names = ("author_id", "recipients", "attributes.value")
    about = {"$or": [{f"deleted_post.{name}": uid} for name in names]}
    pending_cleanups().update_many(about, {"$unset": {"deleted_post": 1}})
