"""Ungrouped notifications, as apps list them: the box, then the history.

A page examines a limited number of rows and leaves out hidden rows. So a short or empty page may not be the
last page. Every page costs the same number of commands, plus one command if the box does not fill the page.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from notifications.store import boxes, history
from notifications.store.rows import NotificationRow

from .notification_views import NotificationView, notification_views

MAX_BUCKETS = 4
"""Buckets of the history that one page examines."""


@dataclass(frozen=True, slots=True)
class UngroupedPage:
    """A page, newest first.

    ``older_cursor`` is a ``max_id``, and ``newer_cursor`` is a ``min_id``. A cursor is None if there is no
    page in its direction.
    """

    notifications: tuple[NotificationView, ...]
    older_cursor: int | None
    newer_cursor: int | None


def ungrouped_page(
    *,
    viewer: int,
    kinds: Collection[str],
    bounds: PageBounds,
    actor: int | None = None,
    includes_filtered: bool = False,
) -> UngroupedPage:
    """Return a page of notifications of these kinds.

    Args:
        actor: if set, the only actor whose notifications are included.
        includes_filtered: whether to include filtered notifications.
    """
    limit, is_ascending = bounds.limit, bounds.is_ascending
    lowest = bounds.lower_bound
    highest = MAX_ID if bounds.max_id is None else bounds.max_id
    box = boxes.get(recipient=viewer)

    def matching_rows(rows: Sequence[NotificationRow]) -> list[NotificationRow]:
        unique_rows = {row.id: row for row in rows}.values()
        return sorted(
            (
                row
                for row in unique_rows
                if lowest < row.id < highest
                and row.kind in kinds
                and (actor is None or row.actor == actor)
            ),
            key=lambda row: row.id,
            reverse=not is_ascending,
        )

    box_rows = [*box.recent, *box.overflow, *(box.filtered if includes_filtered else ())]
    candidates, next_cursor = matching_rows(box_rows), None
    if box.seq > box.cleared_seq and (is_ascending or len(candidates) <= 2 * limit):
        history_rows, is_cut = history.rows_between(
            recipient=viewer,
            below_seq=box.seq,
            min_seq=box.cleared_seq,
            id_range=(lowest, highest),
            max_buckets=MAX_BUCKETS,
            is_ascending=is_ascending,
        )
        if is_cut:
            next_cursor = (
                max(row.id for row in history_rows)
                if is_ascending
                else min(row.id for row in history_rows)
            )
        # In ascending order, rows of the box follow the whole history. If the history does not end on this
        # page, rows of the box belong to a later page.
        candidates = matching_rows(
            [*history_rows, *(box_rows if not (is_ascending and is_cut) else ())]
        )
    examined = candidates[: 2 * limit]
    if len(candidates) > len(examined):
        next_cursor = examined[-1].id
    views = ungrouped_views(viewer=viewer, rows=examined)
    if len(views) > limit:
        next_cursor = views[limit - 1].id
    page_views = views[:limit]
    if is_ascending:
        older_cursor = page_views[0].id if page_views else min(MAX_ID, lowest + 1)
        return UngroupedPage(tuple(reversed(page_views)), older_cursor, next_cursor)
    newer_cursor = page_views[0].id if page_views else None
    if newer_cursor is None and bounds.max_id is not None:
        newer_cursor = max(0, bounds.max_id - 1)
    return UngroupedPage(tuple(page_views), next_cursor, newer_cursor)


def unread_notifications(
    *, viewer: int, kinds: Collection[str], actor: int | None = None
) -> list[NotificationView]:
    """Return the unread notifications that can be shown."""
    rows = [
        row
        for row in boxes.get(recipient=viewer).recent
        if not row.is_read and row.kind in kinds and actor in (None, row.actor)
    ]
    return ungrouped_views(viewer=viewer, rows=rows)


def find_notification(*, viewer: int, row_id: int) -> NotificationView | None:
    """Return a notification, or None if the notification does not exist or is hidden now."""
    box = boxes.get(recipient=viewer)
    box_rows = (*box.recent, *box.overflow, *box.filtered)
    matching_row = next((row for row in box_rows if row.id == row_id), None)
    if matching_row is None and box.seq > box.cleared_seq:
        matching_row = history.find_row(
            recipient=viewer, below_seq=box.seq, min_seq=box.cleared_seq, row_id=row_id
        )
    views = [] if matching_row is None else ungrouped_views(viewer=viewer, rows=[matching_row])
    return views[0] if views else None


def filtered_notifications(*, viewer: int, kinds: Collection[str]) -> list[NotificationView]:
    """Return the filtered notifications, newest first."""
    rows = [row for row in boxes.get(recipient=viewer).filtered if row.kind in kinds]
    return ungrouped_views(viewer=viewer, rows=rows)


def ungrouped_views(*, viewer: int, rows: Sequence[NotificationRow]) -> list[NotificationView]:
    """Return one view for each row that can be shown now, in the same order."""
    if not rows:
        return []
    return list(notification_views(groups=[[row] for row in rows], viewer=viewer).visible)
