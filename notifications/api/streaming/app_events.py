"""What one app gets: server-sent events, as text.

update, status.update   a Status
delete                  the id of one
notification            a Notification
"""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import Http404

from feed.api.serializers.statuses import serialize_posts
from feed.selectors.pages import PostView
from notifications.api.serializers.notifications import serialize_notifications
from notifications.live.app_stream import AppStream, AppUpdate
from notifications.live.hub import Hub
from notifications.selectors.ungrouped import recent_rows, ungrouped_views
from notifications.store.changes import DatabaseUnavailable, PostChange, PostEdited, PostRemoved

from .channels import EmptyChannel

HELLO, HEARTBEAT = ":)\n\n", ":thump\n\n"
HEARTBEAT_SECONDS = 15.0
"""A line that says nothing keeps proxies patient, and finds out whether anybody still listens."""

MAX_STREAM_SECONDS = 3600.0
"""Then the app connects again."""

CHECK_INTERVAL_SECONDS = 1.0
"""Between two looks at what has come; what comes meanwhile waits for the next."""

REFRESH_SECONDS = 30.0
"""Until who is followed anew is heard too."""

MAX_SENT_IDS = 1000


class AppEvents:
    """One stream from its opening to its end. ``since``: the id of the moment in which it was opened;
    ``with_notifications``: whether it tells of them."""

    def __init__(
        self,
        *,
        hub: Hub,
        stream: AppStream,
        channel: EmptyChannel,
        since: int,
        with_notifications: bool,
    ) -> None:
        self._hub, self._stream, self._channel, self._since = hub, stream, channel, since
        self._sent: dict[int, None] = {}
        self._told: set[int] | None = None
        if with_notifications:
            self._told = {item.id for item in recent_rows(viewer=channel.viewer)}

    def __iter__(self) -> Iterator[str]:
        yield HELLO
        try:
            yield from self._said()
        except (DatabaseUnavailable, Http404):
            return  # the app comes again; its list is gone

    def close(self) -> None:
        """Called by the server, also of who never read a line."""
        self._hub.close(stream=self._stream)

    def _said(self) -> Iterator[str]:
        end = time.monotonic() + MAX_STREAM_SECONDS
        beat = time.monotonic() + HEARTBEAT_SECONDS
        fresh = time.monotonic() + REFRESH_SECONDS
        while (now := time.monotonic()) < end and not self._stream.is_ended:
            if now >= fresh:
                self._channel.refresh()
                fresh = now + REFRESH_SECONDS
            heard = self._stream.take_updates(seconds=max(0.0, min(end, beat, fresh) - now))
            said = list(self._answer(heard)) if heard is not None else []
            if not said and time.monotonic() >= beat and not self._stream.is_ended:
                said = [HEARTBEAT]
            if said:
                beat = time.monotonic() + HEARTBEAT_SECONDS
                yield "".join(said)
            if heard is not None:
                self._stream.pause(seconds=CHECK_INTERVAL_SECONDS)

    def _answer(self, heard: AppUpdate) -> Iterator[str]:
        if heard.has_gap:
            yield from self._updates(self._channel.posts_since(self._since), edited=())
        yield from self._posts(heard.post_changes)
        if heard.has_new_notifications or heard.has_gap:
            yield from self._notifications()

    def _posts(self, changes: Sequence[PostChange]) -> Iterator[str]:
        edited = {one.post_id for one in changes if isinstance(one, PostEdited)}
        gone = dict.fromkeys(one.post_id for one in changes if isinstance(one, PostRemoved))
        there = {one.post_id for one in changes} - gone.keys()
        if there:
            yield from self._updates(self._channel.visible_posts(there), edited)
        for post in gone:
            yield _event("delete", str(post))

    def _updates(self, views: Iterable[PostView], edited: Iterable[int]) -> Iterator[str]:
        """Each once; again only what was ``edited``."""
        new = {one.entry_id for one in views if one.entry_id not in self._sent}
        wanted = [one for one in views if one.entry_id in new or one.entry_id in edited]
        for status in serialize_posts(posts=wanted, viewer=self._channel.viewer) if wanted else ():
            entry = int(status["id"])
            is_update = entry not in edited or not self._is_known(entry)
            yield _event("update" if is_update else "status.update", json.dumps(status))
        for entry in sorted(new):
            self._sent[entry] = None
            self._since = max(self._since, entry)
        while len(self._sent) > MAX_SENT_IDS:
            del self._sent[next(iter(self._sent))]

    def _is_known(self, entry: int) -> bool:
        """Whether the app may have it: sent by this stream, or there before it."""
        return entry in self._sent or entry < self._since

    def _notifications(self) -> Iterator[str]:
        """What the box has that it did not have before."""
        if self._told is None:
            return
        items = recent_rows(viewer=self._channel.viewer)
        new = [item for item in items if item.id not in self._told]
        self._told = {item.id for item in items}
        if new:
            told = ungrouped_views(viewer=self._channel.viewer, rows=new[::-1])
            for one in serialize_notifications(notifications=told, viewer=self._channel.viewer):
                yield _event("notification", json.dumps(one))


def _event(name: str, data: Any) -> str:
    return f"event: {name}\ndata: {data}\n\n"
