"""How many notifications are unread, as the header of every page says; who sees that, is here."""

import math
import time

from django.utils import timezone

from notifications.store import boxes, mails

EVERY_SECONDS = 300.0
LARGEST = 10_000

_noted: dict[int, float] = {}
"""When this process has noted of whom that they are here."""


def unread_seen(*, reader: int) -> int:
    """One command: a ``find``, or every five minutes the write that also notes that the reader is here."""
    now = time.monotonic()
    if now - _noted.get(reader, -math.inf) <= EVERY_SECONDS:
        return boxes.unread(reader=reader)
    if len(_noted) >= LARGEST:
        _noted.clear()
    _noted[reader] = now
    return mails.note_presence(reader=reader, at=timezone.now())
