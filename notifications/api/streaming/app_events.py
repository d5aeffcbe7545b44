"""Server-sent events of one app, as text.

update                  a new Status
status.update           an edited Status
delete                  the id of a removed Status
conversation            a Conversation with a new message
notification            a new Notification
"""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from django.http import Http404

from feed.api.conversations import serialize_conversations
from feed.api.serializers.statuses import serialize_posts
from feed.selectors.messages import conversation
from feed.selectors.pages import PostView
from notifications.api.serializers.notifications import serialize_notifications
from notifications.live.app_stream import AppStream, AppUpdate
from notifications.live.hub import Hub
from notifications.selectors.flat_pages import recent_rows, ungrouped_views
from notifications.store.changes import DatabaseUnavailable, PostChange, PostEdited, PostRemoved

from .channels import EmptyChannel

HELLO, HEARTBEAT = ":)\n\n", ":thump\n\n"
HEARTBEAT_SECONDS = 15.0
"""Interval of comment lines, which stop proxies from closing the stream and detect closed connections."""

MAX_STREAM_SECONDS = 3600.0
"""Maximum duration of a stream. The app reconnects after the end of the stream."""

CHECK_INTERVAL_SECONDS = 1.0
"""The stream collects updates for this long and sends them together."""

REFRESH_SECONDS = 30.0
"""How often the stream reloads its channel, for example after the viewer followed a user."""

MAX_SENT_IDS = 1000


class AppEvents:
    """The events of one stream, from start to end.

    Args:
        since: an id from the time when the stream opened. If the stream may have missed changes, it sends
            the posts after this id.
        with_notifications: whether the stream also sends notifications.
    """

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
        self._known_row_ids: set[int] | None = None
        if with_notifications:
            self._known_row_ids = {row.id for row in recent_rows(viewer=channel.viewer)}

    def __iter__(self) -> Iterator[str]:
        yield HELLO
        try:
            yield from self._event_batches()
        except (DatabaseUnavailable, Http404):
            # Http404 means that the list of this stream was deleted. After a database error, the app
            # reconnects.
            return

    def close(self) -> None:
        """Close the stream. The server calls this even if the client has never read a line."""
        self._hub.close(stream=self._stream)

    def _event_batches(self) -> Iterator[str]:
        end = time.monotonic() + MAX_STREAM_SECONDS
        heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
        refresh_at = time.monotonic() + REFRESH_SECONDS
        while (now := time.monotonic()) < end and not self._stream.is_ended:
            if now >= refresh_at:
                self._channel.refresh()
                refresh_at = now + REFRESH_SECONDS
            update = self._stream.take_updates(
                seconds=max(0.0, min(end, heartbeat_at, refresh_at) - now)
            )
            events = list(self._events_for(update)) if update is not None else []
            if not events and time.monotonic() >= heartbeat_at and not self._stream.is_ended:
                events = [HEARTBEAT]
            if events:
                heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
                yield "".join(events)
            if update is not None:
                self._stream.pause(seconds=CHECK_INTERVAL_SECONDS)

    def _events_for(self, update: AppUpdate) -> Iterator[str]:
        if update.has_gap:
            yield from self._updates(self._channel.posts_since(self._since), edited=())
        yield from self._posts(update.post_changes)
        if self._channel.has_conversations:
            yield from self._conversations(update.conversation_ids)
        if update.has_new_notifications or update.has_gap:
            yield from self._notifications()

    def _posts(self, changes: Sequence[PostChange]) -> Iterator[str]:
        edited_ids = {change.post_id for change in changes if isinstance(change, PostEdited)}
        removed_ids = dict.fromkeys(
            change.post_id for change in changes if isinstance(change, PostRemoved)
        )
        present_ids = {change.post_id for change in changes} - removed_ids.keys()
        if present_ids:
            yield from self._updates(self._channel.visible_posts(present_ids), edited_ids)
        for post_id in removed_ids:
            yield _event("delete", str(post_id))

    def _conversations(self, ids: Iterable[int]) -> Iterator[str]:
        viewer = self._channel.viewer
        for post_id in ids:
            with suppress(Http404):  # the viewer may not read the conversation
                view = conversation(post_id=post_id, viewer=viewer)
                (data,) = serialize_conversations(views=[view], viewer=viewer)
                yield _event("conversation", json.dumps(data))

    def _updates(self, views: Iterable[PostView], edited: Iterable[int]) -> Iterator[str]:
        """Yield an event for each post that was not sent before or that was edited."""
        new_ids = {view.entry_id for view in views if view.entry_id not in self._sent}
        views_to_send = [
            view for view in views if view.entry_id in new_ids or view.entry_id in edited
        ]
        for status in serialize_posts(posts=views_to_send) if views_to_send else ():
            entry_id = int(status["id"])
            is_update = entry_id not in edited or not self._is_known(entry_id)
            yield _event("update" if is_update else "status.update", json.dumps(status))
        for entry_id in sorted(new_ids):
            self._sent[entry_id] = None
            self._since = max(self._since, entry_id)
        while len(self._sent) > MAX_SENT_IDS:
            del self._sent[next(iter(self._sent))]

    def _is_known(self, entry: int) -> bool:
        """Return whether the app may already have the entry, from this stream or an earlier request."""
        return entry in self._sent or entry < self._since

    def _notifications(self) -> Iterator[str]:
        """Yield an event for each row that is new in the box."""
        if self._known_row_ids is None:
            return
        rows = recent_rows(viewer=self._channel.viewer)
        new_rows = [row for row in rows if row.id not in self._known_row_ids]
        self._known_row_ids = {row.id for row in rows}
        if new_rows:
            views = ungrouped_views(viewer=self._channel.viewer, rows=new_rows[::-1])
            for notification in serialize_notifications(
                notifications=views, viewer=self._channel.viewer
            ):
                yield _event("notification", json.dumps(notification))


def _event(name: str, data: Any) -> str:
    return f"event: {name}\ndata: {data}\n\n"
