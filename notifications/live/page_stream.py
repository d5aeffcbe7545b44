"""The stream of one open page.

The stream stores only the latest state instead of a queue, so a slow client needs no extra memory.
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
    """An update for a page.

    Attributes:
        unread_count: the number of unread notifications, or None if the number did not change.
        conversation_count: the number of unread conversations, or None if the number did not change.
        has_new_posts: whether followed users published posts.
        has_gap: whether the stream may have missed changes.
    """

    unread_count: int | None = None
    conversation_count: int | None = None
    has_new_posts: bool = False
    has_gap: bool = False


class PageStream:
    """The stream of a viewer's page, which ends when the session ends.

    A viewer has one stream per slot. The slot of a page stream is the key of the session.
    """

    max_per_user: ClassVar[int] = 3
    """Maximum number of streams of one user per process."""

    __slots__ = (
        "_changed",
        "_conversation_count",
        "_followee_ids",
        "_has_gap",
        "_has_new_posts",
        "_unread_count",
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
        # Some users follow thousands of users, and an array takes an eighth of the memory of a set.
        self._followee_ids = array("q", sorted(followed_uids))
        self._changed = threading.Condition(threading.Lock())
        self._unread_count: int | None = None
        self._conversation_count: int | None = None
        self._has_new_posts = self._has_gap = False
        self.is_ended = self.is_replaced = False

    def wait_for_update(self, *, seconds: float) -> PageUpdate | None:
        """Wait for an update. Returns None after ``seconds``, or when the stream ends."""
        with self._changed:
            self._changed.wait_for(self._has_updates, seconds)
            if self.is_ended or not self._has_updates():
                return None
            update = PageUpdate(
                self._unread_count, self._conversation_count, self._has_new_posts, self._has_gap
            )
            self._unread_count = self._conversation_count = None
            self._has_new_posts = self._has_gap = False
            return update

    def add(self, update: PageUpdate) -> None:
        with self._changed:
            if update.unread_count is not None:
                self._unread_count = update.unread_count
            if update.conversation_count is not None:
                self._conversation_count = update.conversation_count
            self._has_new_posts |= update.has_new_posts
            self._has_gap |= update.has_gap
            self._changed.notify()

    def handle(self, change: Change) -> None:
        """Handle a change if the change concerns this page. The hub passes changes of all users."""
        match change:
            case UnreadChanged(self.viewer):
                self.add(PageUpdate(change.count, change.conversations))
            case PostPublished() if self.follows(change.author):
                self.add(PageUpdate(has_new_posts=True))

    def end(self, *, is_replaced: bool = False) -> None:
        with self._changed:
            self.is_ended, self.is_replaced = True, is_replaced
            self._changed.notify()

    def follows(self, uid: int) -> bool:
        index = bisect_left(self._followee_ids, uid)
        return index < len(self._followee_ids) and self._followee_ids[index] == uid

    def _has_updates(self) -> bool:
        has_counts = self._unread_count is not None or self._conversation_count is not None
        return self.is_ended or has_counts or self._has_new_posts or self._has_gap
