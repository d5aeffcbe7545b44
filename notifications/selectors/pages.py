"""The notifications page, and the history behind it."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from notifications.kinds import Kind
from notifications.kinds import kinds as all_kinds
from notifications.store import boxes, history

from .notification_views import NotificationView, group_rows, notification_views

UNDO_WINDOW = timedelta(minutes=30)
"""How long pages offer to undo a dismissal."""


@dataclass(frozen=True, slots=True)
class NotificationsPage:
    """The box as a page shows it.

    Attributes:
        unread_count: the number of unread rows, including ``hidden_ids``.
        unread_conversations: the number of conversations with unread messages.
        hidden_ids: ids of unread rows that are hidden from the viewer now.
        kinds: the kinds of all rows in the box, for the menu that selects a kind.
    """

    notifications: tuple[NotificationView, ...]
    unread_count: int
    unread_conversations: int
    filtered_count: int
    has_history: bool
    hidden_ids: tuple[int, ...]
    kinds: tuple[Kind, ...]
    can_undo: bool

    @property
    def row_ids(self) -> list[int]:
        """Return the ids of all rows on the page."""
        return [row_id for notification in self.notifications for row_id in notification.row_ids]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of the history. ``older_cursor`` is None at the end of the history."""

    notifications: tuple[NotificationView, ...]
    older_cursor: str | None


def notifications_page(
    *, viewer: int, kind_name: str = "", is_filtered: bool = False
) -> NotificationsPage:
    """Return the page with the recent rows of the box.

    Args:
        kind_name: if set, the page has only rows of this kind.
        is_filtered: whether to return the filtered rows instead of the recent rows.
    """
    box = boxes.get(recipient=viewer)
    rows = box.filtered if is_filtered else box.recent
    shown_rows = [row for row in rows if not kind_name or row.kind == kind_name]
    views = notification_views(groups=group_rows(shown_rows), viewer=viewer)
    unread_ids = {row.id for row in rows if not row.is_read}
    present_kinds = {row.kind for row in box.recent}
    return NotificationsPage(
        notifications=views.visible,
        unread_count=box.unread_count,
        unread_conversations=box.unread_conversations,
        filtered_count=len(box.filtered),
        has_history=bool(box.overflow) or box.seq > box.cleared_seq,
        hidden_ids=tuple(
            row_id for row_id in views.hidden_ids if row_id in unread_ids and not is_filtered
        ),
        kinds=tuple(kind for kind in all_kinds() if kind.name in present_kinds),
        can_undo=box.dismissed_at is not None and timezone.now() - box.dismissed_at < UNDO_WINDOW,
    )


def history_page(*, viewer: int, before_seq: int | None = None) -> HistoryPage:
    """Return a page of older notifications: first the overflow of the box, then one bucket per page.

    ``before_seq`` is the cursor: the page shows the newest bucket below this number.
    """
    box = boxes.get(recipient=viewer)
    seq, rows = box.seq, list(box.overflow)
    if before_seq is not None or not rows:
        below = box.seq if before_seq is None else min(before_seq, box.seq)
        bucket = history.newest_bucket(recipient=viewer, below_seq=below, min_seq=box.cleared_seq)
        if bucket is None:
            return HistoryPage((), None)
        seq, rows = bucket
    views = notification_views(groups=group_rows(rows), viewer=viewer)
    return HistoryPage(views.visible, str(seq) if seq > box.cleared_seq else None)
