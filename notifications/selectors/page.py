"""The page of notifications, and the older ones behind it."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from notifications.kinds import Kind
from notifications.kinds import kinds as all_kinds
from notifications.store import boxes, history

from .grouping import grouped
from .views import Notification, views_of

UNDO_FOR = timedelta(minutes=30)
"""So long pages offer to take a dismissal back."""


@dataclass(frozen=True, slots=True)
class NotificationsPage:
    """The newest. ``unread``: how many items are, as the badge tells. ``held``: how many wait to be let
    through. ``older``: there is a history. ``kinds``: those that the box has something
    of. ``hidden``: ids of items that cannot be shown now and yet count as unread."""

    notifications: tuple[Notification, ...]
    unread: int
    held: int
    older: bool
    hidden: tuple[int, ...]
    kinds: tuple[Kind, ...]
    can_undo: bool

    @property
    def ids(self) -> list[int]:
        """All items that are on the page."""
        return [item for one in self.notifications for item in one.ids]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """``older``: the cursor of the next page, None at the end."""

    notifications: tuple[Notification, ...]
    older: str | None


def notifications_page(*, reader: int, kind: str = "", is_held: bool = False) -> NotificationsPage:
    """All in the box, or of one kind; or those that are held."""
    box = boxes.get(reader=reader)
    items = box.held if is_held else box.items
    wanted = [item for item in items if not kind or item.kind == kind]
    views = views_of(groups=grouped(wanted), reader=reader)
    unread = {item.id for item in items if not item.is_read}
    there = {item.kind for item in box.items}
    return NotificationsPage(
        notifications=views.shown,
        unread=box.unread,
        held=len(box.held),
        older=bool(box.kept) or box.seq > box.hidden,
        hidden=tuple(one for one in views.hidden if one in unread and not is_held),
        kinds=tuple(one for one in all_kinds() if one.name in there),
        can_undo=box.dismissed_at is not None and timezone.now() - box.dismissed_at < UNDO_FOR,
    )


def history_page(*, reader: int, before: int | None = None) -> HistoryPage:
    """What the box has no room for: first what is still kept with it, then one bucket at a time.

    ``before``: the number of the bucket after the page.
    """
    box = boxes.get(reader=reader)
    seq, items = box.seq, list(box.kept)
    if before is not None or not items:
        below = box.seq if before is None else min(before, box.seq)
        found = history.bucket(reader=reader, below=below, above=box.hidden)
        if found is None:
            return HistoryPage((), None)
        seq, items = found
    views = views_of(groups=grouped(items), reader=reader)
    return HistoryPage(views.shown, str(seq) if seq > box.hidden else None)
