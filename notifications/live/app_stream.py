"""A stream of an app: it is told of single posts, which pages only count.

What a slow app has not taken waits in a line of bounded length; from a longer one the oldest are lost.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from notifications.store.changes import Change, PostChange, TokenRevoked, UnreadChanged

from .page_stream import PageStream, PageUpdate

MAX_QUEUED_POSTS = 500


@dataclass(frozen=True, slots=True)
class AppUpdate:
    """``posts``: what became of which, in order. ``box``: it has changed. ``is_unsure``: something may have
    been missed."""

    post_changes: list[PostChange]
    has_new_notifications: bool
    has_gap: bool


class AppStream(PageStream):
    """``token``: the id of that with which it ends; ``channel``: what it is called; ``wants``: whether it
    is to be told of a change."""

    __slots__ = ("_box", "_line", "_token", "_wants")

    max_per_user: ClassVar[int] = 6

    def __init__(
        self, *, viewer: int, token: int, channel: str, wants: Callable[[PostChange], bool]
    ) -> None:
        super().__init__(viewer=viewer, session_key=None, followed_uids=())
        self.slot = f"{token} {channel}"
        self._token, self._wants = token, wants
        self._line: deque[PostChange] = deque(maxlen=MAX_QUEUED_POSTS)
        self._box = False

    def handle(self, change: Change) -> None:
        match change:
            case TokenRevoked(self._token):
                self.end()
            case UnreadChanged(self.viewer):
                with self._changed:
                    self._box = True
                    self._changed.notify()
            case PostChange() if self._wants(change):
                with self._changed:
                    self._line.append(change)
                    self._changed.notify()

    def take_updates(self, *, seconds: float) -> AppUpdate | None:
        """What has come since the last time; None if nothing does within the time, or at the end."""
        with self._changed:
            self._changed.wait_for(self._has_something, seconds)
            if self.is_ended or not self._has_something():
                return None
            heard = AppUpdate(list(self._line), self._box, self._is_unsure)
            self._line.clear()
            self._box = self._is_unsure = False
            return heard

    def pause(self, *, seconds: float) -> None:
        """Hear nothing for so long, but of the end."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_ended, seconds)

    def wait_for_update(self, *, seconds: float) -> PageUpdate | None:
        raise NotImplementedError("Apps take what was heard.")

    def _has_something(self) -> bool:
        return self.is_ended or bool(self._line) or self._box or self._is_unsure
