"""The stream of an app. Apps get individual posts, while pages get only counts.

Posts wait in a bounded queue until the app reads them. A full queue drops its oldest posts.
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
    """An update for an app.

    Attributes:
        post_changes: changes of posts, oldest first.
        conversation_ids: the ids of conversations with new messages.
        has_new_notifications: whether the viewer's box changed.
        has_gap: whether the stream may have missed changes.
    """

    post_changes: list[PostChange]
    conversation_ids: list[int]
    has_new_notifications: bool
    has_gap: bool


class AppStream(PageStream):
    """A stream that ends when its token is revoked.

    Args:
        token: the id of the access token.
        channel: the name of the channel. A token has one stream per channel.
        wants: function that returns whether the stream needs a change of a post.
    """

    __slots__ = (
        "_conversation_ids",
        "_has_box_change",
        "_last_message",
        "_post_changes",
        "_token",
        "_wants",
    )

    max_per_user: ClassVar[int] = 6

    def __init__(
        self, *, viewer: int, token: int, channel: str, wants: Callable[[PostChange], bool]
    ) -> None:
        super().__init__(viewer=viewer, session_key=None, followed_uids=())
        self.slot = f"{token} {channel}"
        self._token, self._wants = token, wants
        self._post_changes: deque[PostChange] = deque(maxlen=MAX_QUEUED_POSTS)
        self._conversation_ids: dict[int, None] = {}
        self._last_message = ""
        self._has_box_change = False

    def handle(self, change: Change) -> None:
        match change:
            case TokenRevoked(self._token):
                self.end()
            case UnreadChanged(self.viewer) if change.count is not None or (
                change.conversations is None or change.last_message
            ):  # the number of unread conversations alone does not concern apps
                with self._changed:
                    self._has_box_change = True
                    if change.last_message not in ("", self._last_message):
                        self._last_message = change.last_message
                        self._conversation_ids[int(change.last_message.partition(":")[0])] = None
                    self._changed.notify()
            case PostChange() if self._wants(change):
                with self._changed:
                    self._post_changes.append(change)
                    self._changed.notify()

    def take_updates(self, *, seconds: float) -> AppUpdate | None:
        """Wait for updates. Returns None after ``seconds``, or when the stream ends."""
        with self._changed:
            self._changed.wait_for(self._has_updates, seconds)
            if self.is_ended or not self._has_updates():
                return None
            update = AppUpdate(
                list(self._post_changes),
                list(self._conversation_ids),
                self._has_box_change,
                self._has_gap,
            )
            self._post_changes.clear()
            self._conversation_ids.clear()
            self._has_box_change = self._has_gap = False
            return update

    def pause(self, *, seconds: float) -> None:
        """Wait for the given time, or until the stream ends."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_ended, seconds)

    def wait_for_update(self, *, seconds: float) -> PageUpdate | None:
        raise NotImplementedError("App streams use take_updates.")

    def _has_updates(self) -> bool:
        return self.is_ended or bool(self._post_changes) or self._has_box_change or self._has_gap
