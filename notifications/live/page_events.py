"""Server-sent events of one open page, as text.

    unread    {"count", "text"}     the unread notifications
    messages  {"count", "text"}     the conversations with unread messages
    posts     {"count", "text"}     new posts above the page's ``top``. Without a ``top``, the data is null
                                    and means that a followed user published a post.
    full                            newer streams of this user replaced this stream. The page must poll.

The format is defined in https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import json
import random
import time
from collections.abc import Iterator
from typing import Any

from accounts.infra.ids import new_id, time_of
from notifications.selectors.read_state import (
    messages_badge,
    new_posts_badge,
    unread_badge,
    unread_badges,
)
from notifications.store.changes import DatabaseUnavailable

from .hub import Hub
from .page_stream import PageStream, PageUpdate

HEARTBEAT_SECONDS = 20.0
"""Interval of comment lines, which stop proxies from closing the stream and detect closed connections."""

MAX_STREAM_SECONDS = 15 * 60.0
"""Maximum duration of a stream. When the browser reconnects, the site authenticates the viewer again."""

CHECK_INTERVAL_SECONDS = 4.0
"""Minimum time between two counts of new posts."""

RETRY_MS = (2000, 6000)
"""Range of the random delay before a browser reconnects, so that browsers do not all reconnect at once."""


class PageEvents:
    """The events of one stream, from start to end.

    Args:
        top: the id of the newest entry on the page, or None if the page does not show the home timeline.
        since: the id of the last event that the page got, or None if the page has just been loaded.
    """

    def __init__(self, *, hub: Hub, stream: PageStream, top: int | None, since: int | None) -> None:
        self._hub, self._stream, self._top = hub, stream, top
        self._since = None if since is None else time_of(id=since).timestamp()
        self._check_at: float | None = None
        self._checked_at = -CHECK_INTERVAL_SECONDS
        self._unread: int | None = None
        self._conversations: int | None = None

    def __iter__(self) -> Iterator[str]:
        yield f"retry: {random.randint(*RETRY_MS)}\n\n"  # noqa: S311 - no secret
        try:
            yield from self._event_batches()
        except DatabaseUnavailable:
            return  # the browser reconnects

    def close(self) -> None:
        """Close the stream. The server calls this even if the client has never read a line."""
        self._hub.close(stream=self._stream)

    def _event_batches(self) -> Iterator[str]:
        end = time.monotonic() + MAX_STREAM_SECONDS
        heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
        while (now := time.monotonic()) < end:
            until = min(end, heartbeat_at, self._check_at or end)
            update = self._stream.wait_for_update(seconds=max(0.0, until - now))
            if self._stream.is_ended:
                if self._stream.is_replaced:
                    yield "event: full\ndata: {}\n\n"
                return
            events = list(self._events_for(update)) if update else []
            events += self._new_posts_events()
            if not events and time.monotonic() >= heartbeat_at:
                events = [":\n\n"]
            if events:
                heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
                yield "".join(events)

    def _events_for(self, update: PageUpdate) -> Iterator[str]:
        viewer, count = self._stream.viewer, update.unread_count
        conversations = update.conversation_count
        if update.has_gap:
            badge, message_badge = unread_badges(viewer=viewer)
            self._unread, self._conversations = badge["count"], message_badge["count"]
            yield _event("messages", message_badge)
            yield _event("unread", badge)
        else:
            if count is not None and count != self._unread:
                self._unread = count
                yield _event("unread", unread_badge(viewer=viewer, count=count))
            if conversations is not None and conversations != self._conversations:
                self._conversations = conversations
                yield _event("messages", messages_badge(count=conversations))
        if update.has_new_posts or (update.has_gap and self._may_have_missed_posts()):
            self._check_at = max(time.monotonic(), self._checked_at + CHECK_INTERVAL_SECONDS)

    def _may_have_missed_posts(self) -> bool:
        above = self._top or 0
        return self._hub.may_have_missed_post(
            stream=self._stream, above_id=above, since=self._since
        )

    def _new_posts_events(self) -> Iterator[str]:
        if self._check_at is None or time.monotonic() < self._check_at:
            return
        self._check_at, self._checked_at = None, time.monotonic()
        if self._top is None:
            yield _event("posts", None)
            return
        badge = new_posts_badge(viewer=self._stream.viewer, above=self._top)
        if badge["count"]:
            yield _event("posts", badge)


def _event(name: str, data: Any) -> str:
    return f"id: {new_id()}\nevent: {name}\ndata: {json.dumps(data)}\n\n"
