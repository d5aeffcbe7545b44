"""The fields of a recipient's box that a push needs."""

from dataclasses import dataclass
from datetime import UTC, datetime

from .collections import notification_boxes
from .preferences import Preferences, preferences_from_document
from .rows import NotificationRow, row_from_document


@dataclass(frozen=True, slots=True)
class PushCandidate:
    """An unread row to push. ``seen_at`` is when the recipient was last on the site."""

    row: NotificationRow
    preferences: Preferences
    seen_at: datetime | None


def push_candidate(*, recipient: int, row_id: int) -> PushCandidate | None:
    """Return the row to push, or None if the row is filtered, read or deleted. Runs one command."""
    projection = {"recent": {"$elemMatch": {"id": row_id}}, "push": 1, "mail": 1, "seen_at": 1}
    box = notification_boxes().find_one({"_id": recipient, "recent.id": row_id}, projection)
    if box is None or not box.get("recent"):
        return None
    (row_document,) = box["recent"]
    if row_document["is_read"]:
        return None
    seen_at = box.get("seen_at")
    return PushCandidate(
        row=row_from_document(row_document),
        preferences=preferences_from_document(box),
        seen_at=seen_at and seen_at.replace(tzinfo=UTC),
    )
