"""What is asked of a reader's box before something goes to their devices."""

from dataclasses import dataclass
from datetime import UTC, datetime

from .choices import Choices, choices_of
from .collections import notification_boxes
from .items import Item, item_of


@dataclass(frozen=True, slots=True)
class News:
    """``item``: which is in the box and unread. ``seen_at``: when its reader was on the site last."""

    item: Item
    choices: Choices
    seen_at: datetime | None


def news(*, reader: int, item: int) -> News | None:
    """One command. None if there is no such item to read: it is held, was read, or is gone."""
    wanted = {"items": {"$elemMatch": {"id": item}}, "push": 1, "mail": 1, "seen_at": 1}
    found = notification_boxes().find_one({"_id": reader, "items.id": item}, wanted)
    if found is None or not found.get("items"):
        return None
    (document,) = found["items"]
    if document["read"]:
        return None
    seen_at = found.get("seen_at")
    return News(
        item=item_of(document),
        choices=choices_of(found),
        seen_at=seen_at and seen_at.replace(tzinfo=UTC),
    )
