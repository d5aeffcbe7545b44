"""The read position of apps: the newest notification that an app has shown to the user.

    notification_boxes {..., marker: {position, version, updated_at}}

The marker is in the same document as the box. ``position`` is the id of a row, which may no longer exist.
``version`` counts how often the marker moved.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from accounts.infra.store.connection import Document, upsert

from .collections import notification_boxes
from .rows import NotificationRow, row_from_document


@dataclass(frozen=True, slots=True)
class Marker:
    position: int
    version: int
    updated_at: datetime


def advance_marker(*, recipient: int, position: int, now: datetime) -> None:
    """Move the marker to ``position``, unless the marker is already at or after ``position``."""
    where = {"_id": recipient, "$or": [{"marker": None}, {"marker.position": {"$lt": position}}]}
    change: Document = {
        "$set": {"marker.position": position, "marker.updated_at": now},
        "$inc": {"marker.version": 1},
        "$setOnInsert": {"unread": 0},
    }
    upsert(collection=notification_boxes(), query=where, change=change)


def marker_with_rows(*, recipient: int) -> tuple[Marker | None, list[NotificationRow]]:
    """Return the marker and the rows of the box, oldest first. Runs one command."""
    document = notification_boxes().find_one({"_id": recipient}, {"marker": 1, "recent": 1}) or {}
    rows = [row_from_document(row) for row in document.get("recent", ())]
    if (marker := document.get("marker")) is None:
        return None, rows
    return Marker(
        marker["position"], marker["version"], marker["updated_at"].replace(tzinfo=UTC)
    ), rows
