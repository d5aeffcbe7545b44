"""That somebody is here and sees how much is unread, as the header of every page says."""

import math
import time
from collections.abc import Collection

from django.utils import timezone

from accounts.infra.ids import first_id_at
from notifications.store import boxes, dismissals, history, mail_queue, markers

PRESENCE_INTERVAL_SECONDS = 300.0
MAX_CACHED_USERS = 10_000

_noted: dict[int, float] = {}
"""When this process has noted of whom that they are here."""


def record_presence(*, recipient: int) -> int:
    """They are here: no mail tells them of what there is now, unless they chose digests. Returns how many
    items are unread. One command: a ``find``, or every five minutes a write."""
    now = time.monotonic()
    if now - _noted.get(recipient, -math.inf) <= PRESENCE_INTERVAL_SECONDS:
        return boxes.unread_count(recipient=recipient)
    if len(_noted) >= MAX_CACHED_USERS:
        _noted.clear()
    _noted[recipient] = now
    return mail_queue.record_presence(recipient=recipient, now=timezone.now())


# MERGED FROM notifications.services.boxes: What somebody has read, and what they do not want to see any more.
def mark_read(*, recipient: int, ids: Collection[int]) -> None:
    boxes.mark(recipient=recipient, ids=ids, is_read=True)


def mark_unread(*, recipient: int, ids: Collection[int]) -> None:
    """To come back to them: pages do not mark them as seen."""
    boxes.mark(recipient=recipient, ids=ids, is_read=False)


def mark_seen(*, recipient: int, ids: Collection[int]) -> None:
    """They were on a page; those made unread again stay so."""
    boxes.mark(recipient=recipient, ids=ids, is_read=True, keep_marked_unread=True)


def mark_seen_up_to(*, recipient: int, newest_id: int) -> None:
    """An app has shown everything up to this item; never goes back."""
    # Not beyond what there can be, or nothing would ever be new again.
    newest_id = min(newest_id, first_id_at(moment=timezone.now()))
    markers.advance_marker(recipient=recipient, position=newest_id, now=timezone.now())
    unread = [item.id for item in boxes.get(recipient=recipient).recent if not item.is_read]
    if ids := [one for one in unread if one <= newest_id]:
        mark_seen(recipient=recipient, ids=ids)


def dismiss(*, recipient: int, ids: Collection[int]) -> bool:
    """Until the next dismissal ``restore`` brings them back. False if none of them was there."""
    return dismissals.dismiss(recipient=recipient, ids=ids, at=timezone.now())


def remove_from_history(*, recipient: int, ids: Collection[int]) -> None:
    """Those that are in the history already, which no undo brings back."""
    history.remove_rows(recipient=recipient, ids=ids)


def dismiss_filtered_from(*, recipient: int, actor: int) -> None:
    """What waits to be let through of this person."""
    if ids := _held(recipient, actor):
        dismiss(recipient=recipient, ids=ids)


def accept_filtered_from(*, recipient: int, actor: int) -> None:
    """Bring what is held of this person among the others."""
    if ids := _held(recipient, actor):
        accept_filtered(recipient=recipient, ids=ids)


def clear_all(*, recipient: int) -> None:
    """Everything but what is held."""
    items = boxes.get(recipient=recipient).recent
    clear(recipient=recipient, ids=[item.id for item in items])


def clear(*, recipient: int, ids: Collection[int]) -> bool:
    """As ``dismiss``, and everything that is older than all in the box."""
    return dismissals.clear(recipient=recipient, ids=ids, at=timezone.now())


def restore(*, recipient: int) -> bool:
    """Take the last dismissal back. False if there is none."""
    return dismissals.restore(recipient=recipient)


def accept_filtered(*, recipient: int, ids: Collection[int]) -> None:
    """Bring held items among the others."""
    boxes.accept_filtered(recipient=recipient, ids=ids)


def _held(reader: int, actor: int) -> list[int]:
    held = boxes.get(recipient=reader).filtered
    return [item.id for item in held if item.actor == actor]
