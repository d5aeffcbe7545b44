"""What a reader wants to hear of, in the same document as the box, so that a delivery asks nothing.

notification_boxes {..., off: [kinds], filters: [classes], muted: [post ids]}
"""

from dataclasses import dataclass

from pymongo.errors import DuplicateKeyError

from .collections import Document, notification_boxes


@dataclass(frozen=True, slots=True)
class Choices:
    off: frozenset[str] = frozenset()
    filters: frozenset[str] = frozenset()


def get(*, reader: int) -> Choices:
    """One command."""
    found = notification_boxes().find_one({"_id": reader}, {"off": 1, "filters": 1}) or {}
    return Choices(frozenset(found.get("off", ())), frozenset(found.get("filters", ())))


def put(*, reader: int, off: list[str], filters: list[str]) -> None:
    change: Document = {
        "$set": {"off": off, "filters": filters},
        "$setOnInsert": {"unread": 0},
    }
    try:
        notification_boxes().update_one({"_id": reader}, change, upsert=True)
    except DuplicateKeyError:  # somebody made the box this moment
        notification_boxes().update_one({"_id": reader}, change)
