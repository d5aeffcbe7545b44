"""The stream of one open page.

It keeps only the latest state, not a queue, so a slow reader costs nothing.
"""

import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from notifications.store.changes import Change, PostPublished, UnreadChanged


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """``unread_count`` if known, whether followed users published, and whether changes may be
    missing."""

    unread_count: int | None = None
    has_new_posts: bool = False
    has_gap: bool = False


class PageStream:
    """A page of a viewer, who has one stream per slot. Ends with its session, if any."""

    max_per_user: ClassVar[int] = 3
    """Per process."""

    __slots__ = (
        "_changed",
        "_followees",
        "_is_unsure",
        "_posts",
        "_unread",
        "is_ended",
        "is_replaced",
        "session_key",
        "slot",
        "viewer",
    )

    def __init__(
        self, *, viewer: int, session_key: str | None, followed_uids: Iterable[int]
    ) -> None:
        self.viewer, self.session_key, self.slot = viewer, session_key, session_key or ""
        # An eighth of the size of a set: there are many streams, and some users follow thousands.
        self._followees = array("q", sorted(followed_uids))
        self._changed = threading.Condition(threading.Lock())
        self._unread: int | None = None
        self._posts = self._is_unsure = False
        self.is_ended = self.is_replaced = False

    def wait_for_update(self, *, seconds: float) -> PageUpdate | None:
        """Wait for an update. Returns None after the timeout or at the end."""
        with self._changed:
            self._changed.wait_for(self._has_updates, seconds)
            if self.is_ended or not self._has_updates():
                return None
            update = PageUpdate(self._unread, self._posts, self._is_unsure)
            self._unread, self._posts, self._is_unsure = None, False, False
            return update

    def add(self, news: PageUpdate) -> None:
        with self._changed:
            if news.unread_count is not None:
                self._unread = news.unread_count
            self._posts |= news.has_new_posts
            self._is_unsure |= news.has_gap
            self._changed.notify()

    def handle(self, change: Change) -> None:
        """Handle a change of any user."""
        match change:
            case UnreadChanged(self.viewer, int() as count):
                self.add(PageUpdate(unread_count=count))
            case PostPublished() if self.follows(change.author):
                self.add(PageUpdate(has_new_posts=True))

    def end(self, *, is_replaced: bool = False) -> None:
        with self._changed:
            self.is_ended, self.is_replaced = True, is_replaced
            self._changed.notify()

    def follows(self, uid: int) -> bool:
        index = bisect_left(self._followees, uid)
        return index < len(self._followees) and self._followees[index] == uid

    def _has_updates(self) -> bool:
        return self.is_ended or self._unread is not None or self._posts or self._is_unsure
