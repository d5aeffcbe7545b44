"""That somebody is here and sees how much is unread, as the header of every page says."""

import math
import time

from django.utils import timezone

from notifications.store import boxes, mails

EVERY_SECONDS = 300.0
LARGEST = 10_000

_noted: dict[int, float] = {}
"""When this process has noted of whom that they are here."""


def note_presence(*, reader: int) -> int:
    """They are here: no mail tells them of what there is now, unless they chose digests. Returns how many
    items are unread. One command: a ``find``, or every five minutes a write."""
    now = time.monotonic()
    if now - _noted.get(reader, -math.inf) <= EVERY_SECONDS:
        return boxes.unread(reader=reader)
    if len(_noted) >= LARGEST:
        _noted.clear()
    _noted[reader] = now
    return mails.note_presence(reader=reader, at=timezone.now())
