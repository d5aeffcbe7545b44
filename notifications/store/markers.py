"""Up to where apps have shown somebody's notifications, in the same document as the box.

    notification_boxes {..., marker: {position, version, at}}

``position`` is the id of an item, there still or not; ``version`` counts how often it has moved.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo.errors import DuplicateKeyError

from .collections import Document, notification_boxes
from .items import Item, item_of


@dataclass(frozen=True, slots=True)
class Marker:
    position: int
    version: int
    at: datetime


def advance(*, reader: int, position: int, at: datetime) -> None:
    """Never goes back."""
    where = {"_id": reader, "$or": [{"marker": None}, {"marker.position": {"$lt": position}}]}
    change: Document = {
        "$set": {"marker.position": position, "marker.at": at},
        "$inc": {"marker.version": 1},
    }
    try:
        first = {"$setOnInsert": {"unread": 0}}
        notification_boxes().update_one(where, change | first, upsert=True)
    except DuplicateKeyError:  # it is further already, or somebody made the box this moment
        notification_boxes().update_one(where, change)


def get(*, reader: int) -> tuple[Marker | None, list[Item]]:
    """With the items of the box, the oldest first: one command."""
    found = notification_boxes().find_one({"_id": reader}, {"marker": 1, "items": 1}) or {}
    items = [item_of(one) for one in found.get("items", ())]
    if (one := found.get("marker")) is None:
        return None, items
    return Marker(one["position"], one["version"], one["at"].replace(tzinfo=UTC)), items
