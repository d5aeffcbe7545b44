"""The page of notifications, and the older ones behind it."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from notifications.kinds import Kind
from notifications.kinds import kinds as all_kinds
from notifications.store import boxes, history

from .notification_views import NotificationView, group_rows, notification_views

UNDO_WINDOW = timedelta(minutes=30)
"""So long pages offer to take a dismissal back."""


@dataclass(frozen=True, slots=True)
class NotificationsPage:
    """The newest. ``unread``: how many items are, as the badge tells. ``held``: how many wait to be let
    through. ``older``: there is a history. ``kinds``: those that the box has something
    of. ``hidden``: ids of items that cannot be shown now and yet count as unread."""

    notifications: tuple[NotificationView, ...]
    unread_count: int
    filtered_count: int
    has_history: bool
    hidden_ids: tuple[int, ...]
    kinds: tuple[Kind, ...]
    can_undo: bool

    @property
    def row_ids(self) -> list[int]:
        """All items that are on the page."""
        return [item for one in self.notifications for item in one.row_ids]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """``older``: the cursor of the next page, None at the end."""

    notifications: tuple[NotificationView, ...]
    older_cursor: str | None


def notifications_page(
    *, viewer: int, kind_name: str = "", is_filtered: bool = False
) -> NotificationsPage:
    """All in the box, or of one kind; or those that are held."""
    box = boxes.get(recipient=viewer)
    items = box.filtered if is_filtered else box.recent
    wanted = [item for item in items if not kind_name or item.kind == kind_name]
    views = notification_views(groups=group_rows(wanted), viewer=viewer)
    unread = {item.id for item in items if not item.is_read}
    there = {item.kind for item in box.recent}
    return NotificationsPage(
        notifications=views.visible,
        unread_count=box.unread_count,
        filtered_count=len(box.filtered),
        has_history=bool(box.overflow) or box.seq > box.cleared_seq,
        hidden_ids=tuple(one for one in views.hidden_ids if one in unread and not is_filtered),
        kinds=tuple(one for one in all_kinds() if one.name in there),
        can_undo=box.dismissed_at is not None and timezone.now() - box.dismissed_at < UNDO_WINDOW,
    )


def history_page(*, viewer: int, before_seq: int | None = None) -> HistoryPage:
    """What the box has no room for: first what is still kept with it, then one bucket at a time.

    ``before``: the number of the bucket after the page.
    """
    box = boxes.get(recipient=viewer)
    seq, items = box.seq, list(box.overflow)
    if before_seq is not None or not items:
        below = box.seq if before_seq is None else min(before_seq, box.seq)
        found = history.newest_bucket(recipient=viewer, below_seq=below, min_seq=box.cleared_seq)
        if found is None:
            return HistoryPage((), None)
        seq, items = found
    views = notification_views(groups=group_rows(items), viewer=viewer)
    return HistoryPage(views.visible, str(seq) if seq > box.cleared_seq else None)
