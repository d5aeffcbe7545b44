"""What time does to boxes: old items go, and durable ones without room become history."""

from datetime import timedelta

from django.utils import timezone

from accounts.infra.ids import first_id_at
from notifications.store import boxes, history

MAX_AGE = timedelta(days=90)
"""Items that are neither read nor durable are gone then, too."""

BATCH_SIZE = 500


def expire_rows() -> bool:
    """Of some boxes, drop the items that are too old. False if there are no more such boxes."""
    below = first_id_at(moment=timezone.now() - MAX_AGE)
    return boxes.expire(below=below, limit=BATCH_SIZE) > 0


def seal_overflow() -> bool:
    """Of some boxes, bring kept items into the history. False if there are no more such boxes."""
    full = boxes.sealable_boxes(limit=BATCH_SIZE)
    history.seal_overflow(recipients=full)
    return bool(full)
