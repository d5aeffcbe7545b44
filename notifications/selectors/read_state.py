"""Badges with the counts of unread notifications and new posts, and the read position of apps."""

from typing import TypedDict

from django.utils.translation import ngettext

from accounts.infra.ids import time_of
from feed.timeline.home import count_new_posts
from notifications.kinds import find_kind
from notifications.store import markers
from notifications.store.boxes import unread_counts
from notifications.store.markers import Marker
from notifications.store.rows import NotificationRow

MAX_NEW_POSTS = 20
"""Counting stops at this number. The badge then says "or more"."""


PLURAL_SAMPLES = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100}
"""A number of each plural category of Unicode. ``Intl.PluralRules`` of scripts names the categories."""


class Badge(TypedDict):
    """``text`` is the count in words, or "" for zero."""

    count: int
    text: str


def unread_badge(*, count: int) -> Badge:
    """Return the badge with the number of unread notifications."""
    template = ngettext("%(n)s unread notification", "%(n)s unread notifications", count)
    return Badge(count=count, text=template % {"n": count} if count else "")


def unread_badges(*, viewer: int) -> tuple[Badge, Badge]:
    """Return the badges of unread notifications and of unread conversations. Runs one command."""
    counts = unread_counts(recipient=viewer)
    return unread_badge(count=counts.notifications), messages_badge(count=counts.conversations)


def messages_badge(*, count: int) -> Badge:
    """Return the badge with the number of conversations that have unread messages."""
    template = ngettext("%(n)s unread conversation", "%(n)s unread conversations", count)
    return Badge(count=count, text=template % {"n": count} if count else "")


def new_notifications_texts() -> dict[str, str]:
    """Return "%s new notifications" for each plural category, for a script that inserts the number."""
    return {
        category: ngettext(
            "%(count)d new notification", "%(count)d new notifications", number
        ).replace("%(count)d", "%s")
        for category, number in PLURAL_SAMPLES.items()
    }


def new_posts_badge(*, viewer: int, above: int) -> Badge:
    """Return a badge with the number of posts on the home timeline whose ids are larger than ``above``.

    Usually there are no new posts, and the function runs two commands. New posts need further look-ups.
    """
    count = count_new_posts(viewer=viewer, since_id=above, limit=MAX_NEW_POSTS)
    if count >= MAX_NEW_POSTS:
        template = ngettext("%(n)s or more new posts", "%(n)s or more new posts", count)
    else:
        template = ngettext("%(n)s new post", "%(n)s new posts", count)
    return Badge(count=count, text=template % {"n": count} if count else "")


def notifications_marker(*, viewer: int) -> Marker | None:
    """Return the newer of the read positions in apps and on pages, or None if there is neither.

    Runs one command.
    """
    marker, rows = markers.marker_with_rows(recipient=viewer)
    seen_id = _last_read_id(rows)
    if seen_id and (marker is None or marker.position < seen_id):
        return Marker(seen_id, marker.version if marker else 0, time_of(id=seen_id))
    return marker


def _last_read_id(rows: list[NotificationRow]) -> int:
    """Return the id of the last row before the first unread row, or 0 if there is no such row.

    Skips rows that apps do not show.
    """
    last_read_id = 0
    for row in rows:
        kind = find_kind(row.kind)
        if kind is not None and kind.api_type:
            if not row.is_read:
                break
            last_read_id = row.id
    return last_read_id
