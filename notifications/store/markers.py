"""Up to where apps have shown somebody's notifications, in the same document as the box.

    notification_boxes {..., marker: {position, version, at}}

``position`` is the id of an item, there still or not; ``version`` counts how often it has moved.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo.errors import DuplicateKeyError

from .collections import Document, notification_boxes
from .rows import NotificationRow, row_from_document


@dataclass(frozen=True, slots=True)
class Marker:
    position: int
    version: int
    updated_at: datetime


def advance_marker(*, recipient: int, position: int, now: datetime) -> None:
    """Never goes back."""
    where = {"_id": recipient, "$or": [{"marker": None}, {"marker.position": {"$lt": position}}]}
    change: Document = {
        "$set": {"marker.position": position, "marker.at": now},
        "$inc": {"marker.version": 1},
    }
    try:
        first = {"$setOnInsert": {"unread": 0}}
        notification_boxes().update_one(where, change | first, upsert=True)
    except DuplicateKeyError:  # it is further already, or somebody made the box this moment
        notification_boxes().update_one(where, change)


def marker_with_rows(*, recipient: int) -> tuple[Marker | None, list[NotificationRow]]:
    """With the items of the box, the oldest first: one command."""
    found = notification_boxes().find_one({"_id": recipient}, {"marker": 1, "items": 1}) or {}
    items = [row_from_document(one) for one in found.get("items", ())]
    if (one := found.get("marker")) is None:
        return None, items
    return Marker(one["position"], one["version"], one["at"].replace(tzinfo=UTC)), items
