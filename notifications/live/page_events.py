"""What one open page gets: server-sent events, as text.

    unread  {"count", "text"}     how many notifications are unread now
    posts   {"count", "text"}     how many posts are new above the ``top`` that the page has; null if it
                                  said none: somebody has published, and whoever shows posts may ask
    full                          there are newer streams of this person: ask from time to time instead

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import json
import random
import time
from collections.abc import Iterator
from typing import Any

from accounts.infra.ids import new_id, time_of
from notifications.selectors.read_state import new_posts_badge, unread_badge
from notifications.store.changes import DatabaseUnavailable

from .hub import Hub
from .page_stream import PageStream, PageUpdate

HEARTBEAT_SECONDS = 20.0
"""A line that says nothing keeps proxies patient, and finds out whether anybody still listens."""

MAX_STREAM_SECONDS = 15 * 60.0
"""Then the browser connects again, and is asked again who it is."""

CHECK_INTERVAL_SECONDS = 4.0
"""Between two looks at a home timeline."""

RETRY_MS = (2000, 6000)
"""After which a browser connects again: not all of them at once."""


class PageEvents:
    """One stream from its opening to its end. ``top``: the newest entry that the page has, if it shows
    home. ``since``: the id of the last event that it got before."""

    def __init__(self, *, hub: Hub, stream: PageStream, top: int | None, since: int | None) -> None:
        self._hub, self._stream, self._top = hub, stream, top
        self._since = None if since is None else time_of(id=since).timestamp()
        self._look_at: float | None = None
        self._looked_at = -CHECK_INTERVAL_SECONDS
        self._unread: int | None = None

    def __iter__(self) -> Iterator[str]:
        yield f"retry: {random.randint(*RETRY_MS)}\n\n"  # noqa: S311 - no secret
        try:
            yield from self._said()
        except DatabaseUnavailable:
            return  # the browser comes again

    def close(self) -> None:
        """Called by the server, also of who never read a line."""
        self._hub.close(stream=self._stream)

    def _said(self) -> Iterator[str]:
        end = time.monotonic() + MAX_STREAM_SECONDS
        beat = time.monotonic() + HEARTBEAT_SECONDS
        while (now := time.monotonic()) < end:
            until = min(end, beat, self._look_at or end)
            news = self._stream.wait_for_update(seconds=max(0.0, until - now))
            if self._stream.is_ended:
                if self._stream.is_replaced:
                    yield "event: full\ndata: {}\n\n"
                return
            said = list(self._answer(news)) if news else []
            said += self._look()
            if not said and time.monotonic() >= beat:
                said = [":\n\n"]
            if said:
                beat = time.monotonic() + HEARTBEAT_SECONDS
                yield "".join(said)

    def _answer(self, news: PageUpdate) -> Iterator[str]:
        reader, count = self._stream.viewer, news.unread_count
        if news.has_gap:
            told = unread_badge(viewer=reader)
            self._unread = told["count"]
            yield _event("unread", told)
        elif count is not None and count != self._unread:
            self._unread = count
            yield _event("unread", unread_badge(viewer=reader, count=count))
        if news.has_new_posts or (news.has_gap and self._may_have_missed_posts()):
            self._look_at = max(time.monotonic(), self._looked_at + CHECK_INTERVAL_SECONDS)

    def _may_have_missed_posts(self) -> bool:
        above = self._top or 0
        return self._hub.may_have_missed_post(
            stream=self._stream, above_id=above, since=self._since
        )

    def _look(self) -> Iterator[str]:
        if self._look_at is None or time.monotonic() < self._look_at:
            return
        self._look_at, self._looked_at = None, time.monotonic()
        if self._top is None:
            yield _event("posts", None)
            return
        told = new_posts_badge(viewer=self._stream.viewer, above=self._top)
        if told["count"]:
            yield _event("posts", told)


def _event(name: str, data: Any) -> str:
    return f"id: {new_id()}\nevent: {name}\ndata: {json.dumps(data)}\n\n"
