"""What time does to boxes: old items go, and durable ones without room become history."""

from datetime import timedelta

from django.utils import timezone

from accounts.ids import first_id_at
from notifications.store import boxes, history

KEPT_FOR = timedelta(days=90)
"""Items that are neither read nor durable are gone then, too."""

AT_ONCE = 500


def expire() -> bool:
    """Of some boxes, drop the items that are too old. False if there are no more such boxes."""
    below = first_id_at(moment=timezone.now() - KEPT_FOR)
    return boxes.expire(below=below, limit=AT_ONCE) > 0


def seal() -> bool:
    """Of some boxes, bring kept items into the history. False if there are no more such boxes."""
    full = boxes.full_boxes(limit=AT_ONCE)
    history.seal(readers=full)
    return bool(full)
