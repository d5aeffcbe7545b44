"""Events of one open page.

    unread    {"count", "text"}     the unread notifications
    messages  {"count", "text"}     the conversations with unread messages
    posts     {"count", "text"}     new posts above the page's ``top``. Without a ``top``, the data is null
                                    and means that a followed user published a post, or that somebody
                                    published one with a followed hashtag.
    full                            newer streams of this user replaced this stream. The page must poll.

Their ids contain the time, so a page that reconnects gets what it missed.
"""

import json
import random
import time
from collections.abc import AsyncIterator
from typing import Any

from django.utils import timezone, translation

from accounts.infra.ids import first_id_at, time_of
from feed.timeline.home import home_sources
from notifications.selectors.read_state import (
    messages_badge,
    new_posts_badge,
    unread_badge,
    unread_badges,
)

from .hub import Hub
from .stream_requests import Event
from .streams import EndReason, PageStream, PageUpdate, UidSet
from .threads import content_threads

HEARTBEAT_SECONDS = 40.0
"""Interval of comment lines, which stop proxies from closing the stream and detect closed connections.
Many proxies, such as nginx, wait for 60 seconds."""

MAX_STREAM_SECONDS = 3600.0
"""Maximum duration of a stream. When the browser reconnects, the site authenticates the viewer again."""

CHECK_INTERVAL_SECONDS = 4.0
"""Minimum time between two counts of new posts."""

RETRY_MS = (2000, 6000)
"""Range of the random delay before a browser reconnects, so that browsers do not all reconnect at once."""


def random_lifetime() -> float:
    """Return how long a stream lasts, in seconds.

    Streams that were all opened after a restart do not all end, and open again, at the same time.
    """
    return MAX_STREAM_SECONDS * random.uniform(0.5, 1)  # noqa: S311 - no secret


class PageEvents:
    """The events of one stream, from start to end, in the language of the request that opened it.

    Args:
        top: the id of the newest entry on the page, or None if the page does not show the home timeline.
        since: the id of the last event that the page got, or None if the page has just been loaded.
    """

    heartbeat = ":\n\n"

    def __init__(self, *, stream: PageStream, top: int | None, since: int | None) -> None:
        self.stream, self._top = stream, top
        self._language = translation.get_language()
        self._since = None if since is None else time_of(id=since).timestamp()
        self._check_at: float | None = None
        self._checked_at = -CHECK_INTERVAL_SECONDS
        self._sent_counts: dict[str, int] = {}

    @property
    def greeting(self) -> str:
        return f"retry: {random.randint(*RETRY_MS)}\n\n"  # noqa: S311 - no secret

    async def batches(self, hub: Hub) -> AsyncIterator[list[Event]]:
        end = time.monotonic() + random_lifetime()
        heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
        while (now := time.monotonic()) < end:
            until = min(end, heartbeat_at, self._check_at or end)
            await self.stream.wait(seconds=max(0.0, until - now))
            if self.stream.end_reason() is not None:
                break
            update = self.stream.take_update()
            events, has_new_posts = self._events_of_counts(update), update.has_new_posts
            if update.has_gap or update.has_changed_channel:
                events += await content_threads.run(self._read_state, update)
                has_new_posts |= hub.may_have_missed_post(
                    stream=self.stream, above_id=self._top or 0, since=self._since
                )
            if has_new_posts:
                self._check_at = max(time.monotonic(), self._checked_at + CHECK_INTERVAL_SECONDS)
            if self._check_at is not None and time.monotonic() >= self._check_at:
                self._check_at, self._checked_at = None, time.monotonic()
                events += await content_threads.run(self._events_of_new_posts)
            if self.stream.end_reason() is not None:
                break
            if events or time.monotonic() >= heartbeat_at:
                heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
                yield events
        if self.stream.end_reason() is EndReason.REPLACED:
            yield [Event("full", "{}")]

    def _events_of_counts(self, update: PageUpdate) -> list[Event]:
        if update.has_gap:
            return []
        events = []
        for name, make_badge, count in (
            ("unread", unread_badge, update.unread_count),
            ("messages", messages_badge, update.conversation_count),
        ):
            if count is not None and count != self._sent_counts.get(name):
                self._sent_counts[name] = count
                with translation.override(self._language):
                    events.append(_event(name, make_badge(count=count)))
        return events

    def _read_state(self, update: PageUpdate) -> list[Event]:
        viewer = self.stream.viewer
        if update.has_changed_channel:
            authors, tags = home_sources(viewer=viewer)
            self.stream.authors, self.stream.tags = UidSet(authors), frozenset(tags)
        if not update.has_gap:
            return []
        with translation.override(self._language):
            badge, message_badge = unread_badges(viewer=viewer)
        self._sent_counts = {"unread": badge["count"], "messages": message_badge["count"]}
        return [_event("messages", message_badge), _event("unread", badge)]

    def _events_of_new_posts(self) -> list[Event]:
        if self._top is None:
            return [_event("posts", None)]
        with translation.override(self._language):
            badge = new_posts_badge(viewer=self.stream.viewer, above=self._top)
        return [_event("posts", badge)] if badge["count"] else []


def _event(name: str, data: Any) -> Event:
    # Needs no database, unlike ``new_id``: this runs on the event loop.
    return Event(name, json.dumps(data), id=str(first_id_at(moment=timezone.now())))
