"""Cleanup of boxes: delete expired rows, and move durable rows that no longer fit to the history."""

from datetime import timedelta

from django.utils import timezone

from accounts.infra.ids import first_id_at
from notifications.store import boxes, history

MAX_AGE = timedelta(days=90)
"""Rows that are not durable are deleted at this age, read or not."""

BATCH_SIZE = 500


def expire_rows() -> bool:
    """Delete expired rows from a batch of boxes. Returns False if no box has expired rows."""
    below = first_id_at(moment=timezone.now() - MAX_AGE)
    return boxes.expire(below=below, limit=BATCH_SIZE) > 0


def seal_overflow() -> bool:
    """Move overflow of a batch of boxes to the history. Returns False if no box has enough overflow."""
    recipients = boxes.sealable_boxes(limit=BATCH_SIZE)
    history.seal_overflow(recipients=recipients)
    return bool(recipients)
