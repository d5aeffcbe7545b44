"""What is asked of a reader's box before something goes to their devices."""

from dataclasses import dataclass
from datetime import UTC, datetime

from .collections import notification_boxes
from .preferences import Preferences, preferences_from_document
from .rows import NotificationRow, row_from_document


@dataclass(frozen=True, slots=True)
class PushCandidate:
    """``item``: which is in the box and unread. ``seen_at``: when its reader was on the site last."""

    row: NotificationRow
    preferences: Preferences
    seen_at: datetime | None


def push_candidate(*, recipient: int, row_id: int) -> PushCandidate | None:
    """One command. None if there is no such item to read: it is held, was read, or is gone."""
    wanted = {"items": {"$elemMatch": {"id": row_id}}, "push": 1, "mail": 1, "seen_at": 1}
    found = notification_boxes().find_one({"_id": recipient, "items.id": row_id}, wanted)
    if found is None or not found.get("items"):
        return None
    (document,) = found["items"]
    if document["read"]:
        return None
    seen_at = found.get("seen_at")
    return PushCandidate(
        row=row_from_document(document),
        preferences=preferences_from_document(found),
        seen_at=seen_at and seen_at.replace(tzinfo=UTC),
    )
