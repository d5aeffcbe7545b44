"""One open page. It is a letter box, not a queue: of many changes its reader needs the last, so a slow one
costs nothing."""

import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from notifications.store.changes import Change, PostPublished, UnreadChanged


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """``unread``: the count, if it was heard. ``posts``: somebody whom the reader follows has published.
    ``is_unsure``: something may have been missed."""

    unread_count: int | None = None
    has_new_posts: bool = False
    has_gap: bool = False


class PageStream:
    """One page of one reader. ``followees``: whose posts they want to hear of. ``session``: the log-in
    with which it ends, if any; ``place``: what of its reader has one stream at a time."""

    max_per_user: ClassVar[int] = 3
    """Of one person in a process."""

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
        # An eighth of what a set would take: there are many streams, and people who follow thousands.
        self._followees = array("q", sorted(followed_uids))
        self._changed = threading.Condition(threading.Lock())
        self._unread: int | None = None
        self._posts = self._is_unsure = False
        self.is_ended = self.is_replaced = False

    def wait_for_update(self, *, seconds: float) -> PageUpdate | None:
        """What has come since the last time; None if nothing does within the time, or at the end."""
        with self._changed:
            self._changed.wait_for(self._has_something, seconds)
            if self.is_ended or not self._has_something():
                return None
            news = PageUpdate(self._unread, self._posts, self._is_unsure)
            self._unread, self._posts, self._is_unsure = None, False, False
            return news

    def add(self, news: PageUpdate) -> None:
        with self._changed:
            if news.unread_count is not None:
                self._unread = news.unread_count
            self._posts |= news.has_new_posts
            self._is_unsure |= news.has_gap
            self._changed.notify()

    def handle(self, change: Change) -> None:
        """What happened, whomever it is about."""
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
        place = bisect_left(self._followees, uid)
        return place < len(self._followees) and self._followees[place] == uid

    def _has_something(self) -> bool:
        return self.is_ended or self._unread is not None or self._posts or self._is_unsure
