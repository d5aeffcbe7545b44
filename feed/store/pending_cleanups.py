"""What is being deleted and may have left something behind: ``forgetting {_id, post, at}``.

``_id`` is the id of a post, or of a comment on ``post``. Noted before it is deleted and struck out when all
that pointed to it is gone, so that a process that dies in between leaves a note and not people's words.
"""

from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING

from .collections import forgetting


@dataclass(frozen=True, slots=True)
class PendingCleanup:
    """``post``: None if ``id`` is a post's, else that of the post with this comment."""

    id: int
    post: int | None


def create_indexes() -> None:
    forgetting().create_index([("at", ASCENDING)])


def add_cleanup(*, id: int, post: int | None, noted_at: datetime) -> None:
    """Safe to repeat."""
    forgetting().update_one({"_id": id}, {"$set": {"post": post, "at": noted_at}}, upsert=True)


def remove_cleanup(*, id: int) -> None:
    forgetting().delete_one({"_id": id})


def due_cleanups(*, before: datetime, limit: int) -> list[PendingCleanup]:
    """The oldest notes up to that moment."""
    found = forgetting().find({"at": {"$lte": before}}).sort("at", ASCENDING).limit(limit)
    return [PendingCleanup(one["_id"], one["post"]) for one in found]
