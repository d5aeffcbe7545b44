"""Find the users whose profile links are due for a check (``services.profile_links``).

accounts_user {..., links_due_at}
"""

from datetime import datetime

from pymongo import ASCENDING

from .collections import users


def create_indexes() -> None:
    users().create_index(
        [("links_due_at", ASCENDING)], partialFilterExpression={"links_due_at": {"$type": "date"}}
    )


def due_uids(*, now: datetime, limit: int) -> list[int]:
    """Return the uids of active users whose links are due, the longest overdue first. One command."""
    due = {"links_due_at": {"$type": "date", "$lte": now}, "is_active": True}
    documents = users().find(due, {"_id": 1}).sort("links_due_at", ASCENDING).limit(limit)
    return [document["_id"] for document in documents]


def postpone(*, uid: int, now: datetime, until: datetime) -> bool:
    """Set when the links of a user are due again. Return False if another worker has just done so."""
    due = {"_id": uid, "links_due_at": {"$type": "date", "$lte": now}}
    return bool(users().update_one(due, {"$set": {"links_due_at": until}}).modified_count)
