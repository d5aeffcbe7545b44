"""What somebody was told, one by one, as apps list it: what the box has, and behind it the history.

A page looks at a bounded number of items, so a short or empty one may not be the end. The same number of
commands for each page, and one more where the box alone does not fill it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from accounts.infra.ids import MAX_ID
from notifications.store import boxes, history
from notifications.store.boxes import Box
from notifications.store.rows import NotificationRow

from .notification_views import NotificationView, notification_views

MAX_BUCKETS = 4
"""Of the history are looked at for one page."""


@dataclass(frozen=True, slots=True)
class UngroupedPage:
    """The newest first. ``older`` is a cursor for ``max_id``, ``newer`` one for ``min_id``."""

    notifications: tuple[NotificationView, ...]
    older_cursor: int | None
    newer_cursor: int | None


def ungrouped_page(
    *,
    viewer: int,
    kinds: Collection[str],
    limit: int,
    actor: int | None = None,
    includes_filtered: bool = False,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UngroupedPage:
    """Those of these kinds, and by this actor if one is given. ``with_held``: also what waits to be let
    through."""
    upwards = min_id is not None
    lowest = min_id if min_id is not None else since_id or 0
    highest = MAX_ID if max_id is None else max_id
    box = boxes.get(recipient=viewer)

    def wanted(items: Sequence[NotificationRow]) -> list[NotificationRow]:
        each = {item.id: item for item in items}.values()
        return sorted(
            (
                item
                for item in each
                if lowest < item.id < highest
                and item.kind in kinds
                and (actor is None or item.actor == actor)
            ),
            key=lambda item: item.id,
            reverse=not upwards,
        )

    there = [*box.recent, *box.overflow, *(box.filtered if includes_filtered else ())]
    found, further = wanted(there), None
    if box.seq > box.cleared_seq and (upwards or len(found) <= 2 * limit):
        old, is_cut = history.rows_between(
            recipient=viewer,
            below_seq=box.seq,
            min_seq=box.cleared_seq,
            id_range=(lowest, highest),
            max_buckets=MAX_BUCKETS,
            is_ascending=upwards,
        )
        if is_cut:
            further = max(item.id for item in old) if upwards else min(item.id for item in old)
        # Upwards the box begins only where the history ends.
        found = wanted([*old, *(there if not (upwards and is_cut) else ())])
    examined = found[: 2 * limit]
    if len(found) > len(examined):
        further = examined[-1].id
    views = ungrouped_views(viewer=viewer, rows=examined)
    if len(views) > limit:
        further = views[limit - 1].id
    shown = views[:limit]
    if upwards:
        older = shown[0].id if shown else min(MAX_ID, lowest + 1)
        return UngroupedPage(tuple(reversed(shown)), older, further)
    newer = shown[0].id if shown else None if max_id is None else max(0, max_id - 1)
    return UngroupedPage(tuple(shown), further, newer)


def unread_notifications(
    *, viewer: int, kinds: Collection[str], actor: int | None = None
) -> list[NotificationView]:
    """What counts as unread, of what can be shown."""
    items = [
        item
        for item in boxes.get(recipient=viewer).recent
        if not item.is_read and item.kind in kinds and actor in (None, item.actor)
    ]
    return ungrouped_views(viewer=viewer, rows=items)


def find_notification(*, viewer: int, row_id: int) -> NotificationView | None:
    """None if there is none, or it cannot be shown now."""
    box = boxes.get(recipient=viewer)
    found = next((one for one in _all(box) if one.id == row_id), None)
    if found is None and box.seq > box.cleared_seq:
        found = history.find_row(
            recipient=viewer, below_seq=box.seq, min_seq=box.cleared_seq, row_id=row_id
        )
    shown = [] if found is None else ungrouped_views(viewer=viewer, rows=[found])
    return shown[0] if shown else None


def filtered_notifications(*, viewer: int, kinds: Collection[str]) -> list[NotificationView]:
    """What waits to be let through, the newest first."""
    held = [item for item in boxes.get(recipient=viewer).filtered if item.kind in kinds]
    return ungrouped_views(viewer=viewer, rows=held)


def recent_rows(*, viewer: int) -> tuple[NotificationRow, ...]:
    """The newest first. One command."""
    return boxes.get(recipient=viewer).recent


def ungrouped_views(*, viewer: int, rows: Sequence[NotificationRow]) -> list[NotificationView]:
    """In their order, without those that cannot be shown now."""
    if not rows:
        return []
    return list(notification_views(groups=[[item] for item in rows], viewer=viewer).visible)


def _all(box: Box) -> Sequence[NotificationRow]:
    return [*box.recent, *box.overflow, *box.filtered]
