"""Posts whose subscribers are being notified, so that a lost task or a dead worker loses no notification.

    subscriber_deliveries {_id: post, cursor, due_at}

``cursor`` is the cursor of the last notified subscriber, 0 at first. A worker moves ``due_at`` forward
with each batch. Deliveries that are due have stalled. The document is deleted at the end.
"""

from datetime import datetime

from pymongo import ASCENDING

from .collections import subscriber_deliveries


def create_indexes() -> None:
    subscriber_deliveries().create_index([("due_at", ASCENDING)])


def insert_delivery(*, post: int, due_at: datetime) -> None:
    """Insert a delivery, unless the post already has one."""
    new = {"cursor": 0, "due_at": due_at}
    subscriber_deliveries().update_one({"_id": post}, {"$setOnInsert": new}, upsert=True)


def claim_delivery(*, post: int, due_at: datetime) -> int | None:
    """Return the cursor of a delivery and move ``due_at``. Return None if there is no delivery."""
    row = subscriber_deliveries().find_one_and_update({"_id": post}, {"$set": {"due_at": due_at}})
    return None if row is None else int(row["cursor"])


def save_progress(*, post: int, cursor: int, due_at: datetime) -> None:
    change = {"$max": {"cursor": cursor}, "$set": {"due_at": due_at}}
    subscriber_deliveries().update_one({"_id": post}, change)


def due_posts(*, now: datetime, limit: int) -> list[int]:
    """Return the posts of stalled deliveries, the longest stalled first."""
    rows = subscriber_deliveries().find({"due_at": {"$lte": now}}, {"_id": 1})
    return [row["_id"] for row in rows.sort("due_at", ASCENDING).limit(limit)]


def delete_delivery(*, post: int) -> None:
    subscriber_deliveries().delete_one({"_id": post})
