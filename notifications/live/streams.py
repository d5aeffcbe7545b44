"""The mailboxes of open streams, and what ends a stream. Only the event loop uses them.

A mailbox collects the latest state instead of a queue, so a slow client needs no extra memory. Apps need
individual posts. These wait in a bounded queue, which drops its oldest posts when it is full.
"""

import asyncio
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import ClassVar

from notifications.store.changes import (
    ChannelChanged,
    ContentChange,
    PasswordChanged,
    PostChange,
    PostPublished,
    Revocation,
    SessionEnded,
    TokenRevoked,
    UnreadChanged,
    UserDeactivated,
)

MAX_QUEUED_POSTS = 500


class EndReason(Enum):
    CLOSED = auto()
    """The client has left."""
    REPLACED = auto()
    """A newer stream of the same user has taken the place of the stream."""
    REVOKED = auto()
    """The session, token or account is no longer valid."""
    RESTART = auto()
    """The process stops, or may have missed changes. The client has to open a stream again."""


@dataclass(slots=True)
class Update:
    """The changes that a client has not received yet. True if there may be something to send.

    Attributes:
        has_gap: whether the stream may have missed changes.
        has_changed_channel: whether the viewer followed another user or changed a list.
    """

    has_gap: bool = False
    has_changed_channel: bool = False

    def __bool__(self) -> bool:
        return self != type(self)()


class Stream:
    """A mailbox. The hub calls ``handle``, and the sender of the events waits in ``wait``.

    Attributes:
        slot: a viewer has one stream of each class per slot.
        credential: the revocation of the session or token that opened the stream.
        max_per_user: maximum number of streams of one user.
        is_subscription: whether the stream belongs to a WebSocket, so that it does not count.
        number: streams with a higher number were requested later.
        update: the collected changes. The client may have missed others before the stream opened.
    """

    max_per_user: ClassVar[int] = 0
    update: Update

    __slots__ = (
        "_end_reason",
        "_waiter",
        "credential",
        "is_subscription",
        "number",
        "slot",
        "update",
        "viewer",
    )

    def __init__(self, *, viewer: int, slot: str, credential: SessionEnded | TokenRevoked) -> None:
        self.viewer, self.slot, self.credential = viewer, slot, credential
        self.is_subscription = False
        self._end_reason: EndReason | None = None
        self._waiter: asyncio.Future[None] | None = None
        self.number = 0

    def handle(self, change: ContentChange) -> None:
        """Collect a change if it concerns this stream. The hub passes changes of all users."""

    def is_ended_by(self, revocation: Revocation) -> bool:
        return revocation in (self.credential, UserDeactivated(self.viewer))

    def add_gap(self) -> None:
        """Note that the stream may have missed changes."""
        self.update.has_gap = True
        self._wake()

    def end(self, reason: EndReason) -> None:
        self._end_reason = self._end_reason or reason
        self._wake()

    def end_reason(self) -> EndReason | None:
        """Return why the stream has ended, or None if it has not."""
        return self._end_reason

    async def wait(self, *, seconds: float) -> None:
        """Wait until there are changes or the stream ends, at most for the given time."""
        if not (self.update or self._end_reason):
            await self._sleep(seconds)

    async def pause(self, *, seconds: float) -> None:
        """Wait for the given time, or until the stream ends."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while self._end_reason is None and (remaining := until - loop.time()) > 0:
            await self._sleep(remaining)

    async def _sleep(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        # uvloop rounds to milliseconds. If a timer fired early, the caller would loop without waiting.
        timer = loop.call_later(seconds + 0.001, self._wake)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class UidSet:
    """A set of uids. Some users follow thousands of users, and an array takes an eighth of a set."""

    __slots__ = ("_uids",)

    def __init__(self, uids: Iterable[int] = ()) -> None:
        self._uids = array("q", sorted(uids))

    def __contains__(self, uid: int) -> bool:
        index = bisect_left(self._uids, uid)
        return index < len(self._uids) and self._uids[index] == uid


@dataclass(slots=True)
class PageUpdate(Update):
    """The changes for a page.

    Attributes:
        unread_count: the number of unread notifications, or None if the number did not change.
        conversation_count: the number of unread conversations, or None if the number did not change.
        has_new_posts: whether there are new posts of followed users or with followed hashtags.
    """

    unread_count: int | None = None
    conversation_count: int | None = None
    has_new_posts: bool = False


class PageStream(Stream):
    """The stream of a viewer's page, which ends with the session. Its slot is the key of the session."""

    max_per_user = 3
    update: PageUpdate

    __slots__ = ("authors", "tags")

    def __init__(self, *, viewer: int, session_key: str, session_id: object) -> None:
        super().__init__(viewer=viewer, slot=session_key, credential=SessionEnded(session_id))
        self.authors = UidSet()
        self.tags: frozenset[str] = frozenset()
        self.update = PageUpdate(has_gap=True, has_changed_channel=True)

    def handle(self, change: ContentChange) -> None:
        match change:
            case UnreadChanged(self.viewer):
                if change.count is not None:
                    self.update.unread_count = change.count
                if change.conversations is not None:
                    self.update.conversation_count = change.conversations
            case PostPublished() if self.announces(change):
                self.update.has_new_posts = True
            case ChannelChanged(self.viewer):
                self.update.has_changed_channel = True
            case _:
                return
        self._wake()

    def announces(self, post: PostPublished) -> bool:
        """Return whether the viewer's home timeline may show a new post, which is not the viewer's own.

        ``authors`` and ``tags`` are those of the home timeline.
        """
        if post.is_hidden or post.author == self.viewer or not post.may_concern(self.viewer):
            return False
        return post.author in self.authors or not self.tags.isdisjoint(post.tags)

    def is_ended_by(self, revocation: Revocation) -> bool:
        return super().is_ended_by(revocation) or revocation == PasswordChanged(self.viewer)

    def take_update(self) -> PageUpdate:
        update, self.update = self.update, PageUpdate()
        return update


@dataclass(slots=True)
class AppUpdate(Update):
    """The changes for an app.

    Attributes:
        post_changes: changes of posts, oldest first.
        conversation_ids: the ids of conversations with new messages, in their order.
        has_new_notifications: whether the viewer's box changed.
    """

    post_changes: deque[PostChange] = field(default_factory=lambda: deque(maxlen=MAX_QUEUED_POSTS))
    conversation_ids: dict[int, None] = field(default_factory=dict)
    has_new_notifications: bool = False


class AppStream(Stream):
    """The stream of an app, which ends when its token is revoked.

    Args:
        token: the id of the access token.
        channel: the name of the channel. A token has one stream per channel.
        wants: function that returns whether the stream needs a change of a post.
        depends_on_follows: whether the channel changes with follows and lists of the viewer.
    """

    max_per_user = 6
    update: AppUpdate

    __slots__ = ("_depends_on_follows", "_last_message", "_wants")

    def __init__(
        self,
        *,
        viewer: int,
        token: int,
        channel: str,
        wants: Callable[[PostChange], bool],
        depends_on_follows: bool = False,
    ) -> None:
        super().__init__(viewer=viewer, slot=f"{token} {channel}", credential=TokenRevoked(token))
        self._wants, self._depends_on_follows = wants, depends_on_follows
        self._last_message = ""
        self.update = AppUpdate(has_gap=True, has_changed_channel=True)

    def handle(self, change: ContentChange) -> None:
        match change:
            case UnreadChanged(self.viewer) if change.count is not None or (
                change.conversations is None or change.last_message
            ):  # the number of unread conversations alone does not concern apps
                self.update.has_new_notifications = True
                if change.last_message not in ("", self._last_message):
                    self._last_message = change.last_message
                    post_id = int(change.last_message.partition(":")[0])
                    self.update.conversation_ids[post_id] = None
            case PostChange() if self._wants(change):
                self.update.post_changes.append(change)
            case ChannelChanged(self.viewer) if self._depends_on_follows:
                self.update.has_changed_channel = True
            case _:
                return
        self._wake()

    def take_update(self) -> AppUpdate:
        update, self.update = self.update, AppUpdate()
        return update
