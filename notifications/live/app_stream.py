"""A stream of an app: it is told of single posts, which pages only count.

What a slow app has not taken waits in a line of bounded length; from a longer one the oldest are lost.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from notifications.store.live import Change, OfPost, Revoked, Unread

from .stream import News, Stream

LONGEST = 500


@dataclass(frozen=True, slots=True)
class Heard:
    """``posts``: what became of which, in order. ``box``: it has changed. ``is_unsure``: something may have
    been missed."""

    posts: list[OfPost]
    box: bool
    is_unsure: bool


class AppStream(Stream):
    """``token``: the id of that with which it ends; ``channel``: what it is called; ``wants``: whether it
    is to be told of a change."""

    __slots__ = ("_box", "_line", "_token", "_wants")

    most: ClassVar[int] = 6

    def __init__(
        self, *, reader: int, token: int, channel: str, wants: Callable[[OfPost], bool]
    ) -> None:
        super().__init__(reader=reader, session=None, followees=())
        self.place = f"{token} {channel}"
        self._token, self._wants = token, wants
        self._line: deque[OfPost] = deque(maxlen=LONGEST)
        self._box = False

    def hear(self, change: Change) -> None:
        match change:
            case Revoked(self._token):
                self.end()
            case Unread(self.reader):
                with self._changed:
                    self._box = True
                    self._changed.notify()
            case OfPost() if self._wants(change):
                with self._changed:
                    self._line.append(change)
                    self._changed.notify()

    def take(self, *, seconds: float) -> Heard | None:
        """What has come since the last time; None if nothing does within the time, or at the end."""
        with self._changed:
            self._changed.wait_for(self._has_something, seconds)
            if self.is_ended or not self._has_something():
                return None
            heard = Heard(list(self._line), self._box, self._is_unsure)
            self._line.clear()
            self._box = self._is_unsure = False
            return heard

    def rest(self, *, seconds: float) -> None:
        """Hear nothing for so long, but of the end."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_ended, seconds)

    def wait(self, *, seconds: float) -> News | None:
        raise NotImplementedError("Apps take what was heard.")

    def _has_something(self) -> bool:
        return self.is_ended or bool(self._line) or self._box or self._is_unsure
