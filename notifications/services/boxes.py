"""Actions of users on their box: visit, read, dismiss, clear, accept, restore."""

import math
import time
from collections.abc import Collection

from django.utils import timezone

from accounts.infra.ids import first_id_at
from notifications.store import boxes, dismissals, markers
from notifications.store.boxes import UnreadCounts

PRESENCE_INTERVAL_SECONDS = 300.0
MAX_CACHED_USERS = 10_000

_presence_times: dict[int, float] = {}
"""The monotonic time when this process last recorded the presence of each user, by uid."""


def record_presence(*, recipient: int) -> UnreadCounts:
    """Record that the user is on the site, and return the user's unread counts.

    Mails, except digests, skip notifications from before the last visit. Each call runs one command. At
    most every five minutes, the command is a write. Otherwise it is a ``find``.
    """
    now = time.monotonic()
    if now - _presence_times.get(recipient, -math.inf) <= PRESENCE_INTERVAL_SECONDS:
        return boxes.unread_counts(recipient=recipient)
    if len(_presence_times) >= MAX_CACHED_USERS:
        _presence_times.clear()
    _presence_times[recipient] = now
    return boxes.record_presence(recipient=recipient, now=timezone.now())


def mark_read(*, recipient: int, ids: Collection[int]) -> None:
    boxes.mark(recipient=recipient, ids=ids, is_read=True)


def mark_seen(*, recipient: int, ids: Collection[int]) -> None:
    """Mark notifications as read after a page has shown them.

    Skips notifications that the user marked as unread.
    """
    boxes.mark(recipient=recipient, ids=ids, is_read=True, keep_marked_unread=True)


def mark_seen_up_to(*, recipient: int, newest_id: int) -> None:
    """Mark notifications up to this id as seen, because an app has shown them.

    The read position never moves back.
    """
    # With a position in the future, apps would treat every new notification as read.
    newest_id = min(newest_id, first_id_at(moment=timezone.now()))
    markers.advance_marker(recipient=recipient, position=newest_id, now=timezone.now())
    unread_ids = [row.id for row in boxes.get(recipient=recipient).recent if not row.is_read]
    if ids := [row_id for row_id in unread_ids if row_id <= newest_id]:
        mark_seen(recipient=recipient, ids=ids)


def dismiss(*, recipient: int, ids: Collection[int]) -> bool:
    """Dismiss notifications. Until the next dismissal, ``dismissals.restore`` can undo this.

    Returns False if none of the notifications exists.
    """
    return dismissals.dismiss(recipient=recipient, ids=ids, at=timezone.now())


def dismiss_filtered_from(*, recipient: int, actor: int) -> None:
    """Dismiss the filtered notifications from one sender."""
    if ids := _filtered_ids_from(recipient, actor):
        dismiss(recipient=recipient, ids=ids)


def accept_filtered_from(*, recipient: int, actor: int) -> None:
    """Accept the filtered notifications from one sender."""
    if ids := _filtered_ids_from(recipient, actor):
        boxes.accept_filtered(recipient=recipient, ids=ids)


def clear_all(*, recipient: int) -> None:
    """Clear everything except filtered notifications."""
    rows = boxes.get(recipient=recipient).recent
    clear(recipient=recipient, ids=[row.id for row in rows])


def clear(*, recipient: int, ids: Collection[int]) -> bool:
    """Dismiss these notifications, the overflow and the history.

    Returns False if there is nothing to clear.
    """
    return dismissals.clear(recipient=recipient, ids=ids, at=timezone.now())


def _filtered_ids_from(recipient: int, actor: int) -> list[int]:
    rows = boxes.get(recipient=recipient).filtered
    return [row.id for row in rows if row.actor == actor]
