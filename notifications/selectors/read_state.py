"""What a page is told of, also while it is open: how much is unread, and how much is new at home."""

from typing import TypedDict

from django.utils.translation import ngettext

from accounts.infra.ids import time_of
from feed.timeline.home import count_new_posts
from notifications.kinds import find_kind
from notifications.store import boxes, markers
from notifications.store.markers import Marker
from notifications.store.rows import NotificationRow

MAX_NEW_POSTS = 20
"""Of more new posts than these nobody needs to know how many there are."""


class Badge(TypedDict):
    """``text``: the count in words, "" for none."""

    count: int
    text: str


def unread_badge(*, viewer: int, count: int | None = None) -> Badge:
    """One command; none if the ``count`` is known."""
    if count is None:
        count = boxes.unread_count(recipient=viewer)
    words = ngettext("%(n)s unread notification", "%(n)s unread notifications", count)
    return Badge(count=count, text=words % {"n": count} if count else "")


def new_posts_badge(*, viewer: int, above: int) -> Badge:
    """How many posts of others the reader's home shows above the entry ``top``. Two commands if there is
    nothing."""
    count = count_new_posts(viewer=viewer, since_id=above, limit=MAX_NEW_POSTS)
    if count >= MAX_NEW_POSTS:
        words = ngettext("%(n)s or more new posts", "%(n)s or more new posts", count)
    else:
        words = ngettext("%(n)s new post", "%(n)s new posts", count)
    return Badge(count=count, text=words % {"n": count} if count else "")


# MERGED FROM notifications.selectors.read_state: Up to where somebody has seen their notifications, whether in an app or on the pages.
def notifications_marker(*, viewer: int) -> Marker | None:
    """None if they have seen none. One command."""
    told, items = markers.marker_with_rows(recipient=viewer)
    seen = _seen_up_to(items)
    if seen and (told is None or told.position < seen):
        return Marker(seen, told.version if told else 0, time_of(id=seen))
    return told


def _seen_up_to(items: list[NotificationRow]) -> int:
    """All that apps know are read up to this one; 0 if none is."""
    last = 0
    for item in items:
        kind = find_kind(item.kind)
        if kind is not None and kind.api_type:
            if not item.is_read:
                break
            last = item.id
    return last
