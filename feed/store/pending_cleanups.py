"""Pending cleanups after deletions, and pending corrections of numbers.

    pending_cleanups {_id, post, noted_at, change?,
                      deleted_post?: {author_id, visibility, recipients, attributes, hidden}}

``_id`` is the id of a deleted post, or of a deleted comment on ``post``. The document is inserted before
the deletion, and removed after all data that refers to the post or comment is deleted. If a process dies
in between, ``sweep`` finishes the cleanup. Streams learn from ``deleted_post`` who could read the post.

With ``change``, ``_id`` is a user whose status changes (``services.availability``). Each change has an id,
so that the end of a job does not remove a newer change.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.utils import timezone
from pymongo import ASCENDING

from accounts.infra.ids import new_id
from accounts.infra.store.connection import Document
from feed.models import Post

from .collections import OF_CONTENTS, OF_POSTS, pending_cleanups

CHANGE_DELAY = timedelta(minutes=5)
"""Actions and transactions that know only the earlier status of a user have ended by then."""


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


def add_change(*, uid: int) -> None:
    """Record that the status of a user changes. Call this before the change."""
    fields = {"post": None, "noted_at": timezone.now() + CHANGE_DELAY, "change": new_id()}
    pending_cleanups().update_one({"_id": uid}, {"$set": fields}, upsert=True)


def claim_change(*, uid: int, change: int) -> bool:
    """Let ``sweep`` ignore a change for a while. Return False if it is done or there is a newer one."""
    later = {"$set": {"noted_at": timezone.now() + CHANGE_DELAY}}
    return bool(pending_cleanups().update_one({"_id": uid, "change": change}, later).matched_count)


def remove_cleanup(*, id: int, change: int | None = None) -> None:
    pending_cleanups().delete_one({"_id": id, "change": change})


def delete_post_data(*, id: int) -> None:
    """Delete the likes, answers, comments and other documents of a post. One command per collection."""
    for collection in OF_POSTS:
        collection().delete_many({"post": id})


def delete_comment_data(*, ids: Collection[int]) -> None:
    """Delete the likes and bookmarks of comments."""
    for collection in OF_CONTENTS:
        collection().delete_many({"post": {"$in": list(ids)}})


def due_cleanups(*, before: datetime, limit: int) -> list[tuple[int, int | None, int | None]]:
    """Return the oldest cleanups recorded up to ``before``.

    Each is the id of the deleted post or comment, and the post of the comment, None for a post. The third
    value is None, or the change if the id is that of a user.
    """
    documents = (
        pending_cleanups()
        .find({"noted_at": {"$lte": before}})
        .sort("noted_at", ASCENDING)
        .limit(limit)
    )
    return [(pending["_id"], pending["post"], pending.get("change")) for pending in documents]


def delete_readers(*, uid: int) -> None:
    """Delete what cleanups say about the posts of a user, and of others who wrote to the user or of them.

    Streams have read it long before.
    """
    pending_cleanups().delete_one({"_id": uid})
    names = ("author_id", "recipients", "attributes.value")
    about = {"$or": [{f"deleted_post.{name}": uid} for name in names]}
    pending_cleanups().update_many(about, {"$unset": {"deleted_post": 1}})
