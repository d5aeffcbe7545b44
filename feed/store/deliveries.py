"""Where each post's delivery stands, in the post itself; see ``models.Post``."""

from datetime import datetime

from .collections import posts


def advance(*, post: int, next_bucket: int, at: datetime) -> None:
    """All audience buckets below ``next_bucket`` are delivered; never goes back."""
    posts().update_one(
        {"_id": post},
        {"$max": {"delivery_next": next_bucket}, "$set": {"delivery_at": at}},
    )


def touch(*, ids: list[int], at: datetime) -> None:
    """Say of posts under way that somebody has just been asked to go on."""
    posts().update_many(
        {"_id": {"$in": ids}, "delivery_state": "pending"}, {"$set": {"delivery_at": at}}
    )


def finish(*, post: int, at: datetime) -> None:
    posts().update_one({"_id": post}, {"$set": {"delivery_state": "done", "delivery_at": at}})


def pending(*, post: int) -> tuple[int, int] | None:
    """(author, next bucket) of a post still to be delivered; None if it is done or gone."""
    found = posts().find_one(
        {"_id": post, "delivery_state": "pending"}, {"author_id": 1, "delivery_next": 1}
    )
    return None if found is None else (found["author_id"], found["delivery_next"])


def stalled(*, before: datetime, limit: int) -> list[int]:
    """Posts whose delivery has not moved since ``before``, the longest waiting first."""
    query = {"delivery_state": "pending", "delivery_at": {"$lt": before}}
    found = posts().find(query, {"_id": 1}).sort("delivery_at", 1).limit(limit)
    return [one["_id"] for one in found]
