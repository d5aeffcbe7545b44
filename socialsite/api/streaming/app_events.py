"""Events of one app.

update                  a new Status
status.update           an edited Status
delete                  the id of a removed Status that the viewer could read
conversation            a Conversation with a new message
notification            a new Notification
"""

import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta

from django.http import Http404
from django.utils import timezone

from accounts.infra.ids import first_id_at
from feed.selectors.messages import conversation
from feed.selectors.post_view import PostView
from notifications.live.hub import Hub
from notifications.live.stream_requests import Event
from notifications.live.streams import AppStream, AppUpdate
from notifications.live.threads import content_threads
from notifications.selectors.flat_pages import ungrouped_views
from notifications.store import boxes
from notifications.store.changes import PostChange, PostEdited, PostPublished, PostRemoved
from socialsite.api.conversations import serialize_conversations
from socialsite.api.serializers.notifications import serialize_notifications
from socialsite.api.serializers.statuses import serialize_posts

from .channels import EmptyChannel

HEARTBEAT_SECONDS = 15.0
"""Interval of comment lines, which stop proxies from closing the stream and detect closed connections."""

MAX_STREAM_SECONDS = 3600.0
"""Maximum duration of a stream. The app reconnects after the end of the stream."""

CHECK_INTERVAL_SECONDS = 1.0
"""The stream collects updates for this long and sends them together."""

REFRESH_SECONDS = 120.0
"""How often the stream reloads its channel, for example after the viewer followed a hashtag.

Followed users and changed lists are reloaded at once.
"""

RELOAD_SECONDS = 10.0
"""Maximum time that it takes to load a changed channel."""

MAX_SENT_IDS = 1000


class AppEvents:
    """The events of one stream, from start to end.

    Args:
        since: an id from the time when the stream opened. If the stream may have missed changes, it sends
            the posts after this id.
        with_notifications: whether the stream also sends notifications.
    """

    greeting, heartbeat = ":)\n\n", ":thump\n\n"

    def __init__(
        self, *, stream: AppStream, channel: EmptyChannel, since: int, with_notifications: bool
    ) -> None:
        self.stream, self._channel = stream, channel
        self._opened_at_id = self._since = since
        self._sent: dict[int, None] = {}
        self._known_row_ids: set[int] | None = None
        if with_notifications:
            self._known_row_ids = {row.id for row in boxes.get(recipient=channel.viewer).recent}

    async def batches(self, hub: Hub) -> AsyncIterator[list[Event]]:
        end = time.monotonic() + MAX_STREAM_SECONDS
        heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
        refresh_at = time.monotonic() + REFRESH_SECONDS
        while (now := time.monotonic()) < end:
            until = min(end, heartbeat_at, refresh_at)
            await self.stream.wait(seconds=max(0.0, until - now))
            if self.stream.end_reason() is not None:
                return
            update = self.stream.take_update()
            if update.has_changed_channel or time.monotonic() >= refresh_at:
                await content_threads.run(self._channel.refresh)
                refresh_at = time.monotonic() + REFRESH_SECONDS
            events = await content_threads.run(self._events_for, update) if update else []
            if self.stream.end_reason() is not None:
                return
            if events or time.monotonic() >= heartbeat_at:
                heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
                yield events
            if update:
                await self.stream.pause(seconds=CHECK_INTERVAL_SECONDS)

    def _events_for(self, update: AppUpdate) -> list[Event]:
        return list(self._event_sequence(update))

    def _event_sequence(self, update: AppUpdate) -> Iterator[Event]:
        if update.has_gap:
            yield from self._updates(self._channel.posts_since(self._since), edited=())
        elif update.has_changed_channel:
            # A newly followed user may have published before the channel was loaded again.
            moment = timezone.now() - timedelta(seconds=RELOAD_SECONDS)
            since = max(self._since, first_id_at(moment=moment))
            yield from self._updates(self._channel.posts_since(since), edited=())
        yield from self._posts(update.post_changes)
        if self._channel.has_conversations:
            yield from self._conversations(update.conversation_ids)
        if update.has_new_notifications or update.has_gap:
            yield from self._notifications()

    def _posts(self, changes: Sequence[PostChange]) -> Iterator[Event]:
        published_ids = {change.post_id for change in changes if isinstance(change, PostPublished)}
        edited_ids = {change.post_id for change in changes if isinstance(change, PostEdited)}
        edited_ids -= published_ids - self._sent.keys()
        removals = {change.post_id: change for change in changes if isinstance(change, PostRemoved)}
        present_ids = {change.post_id for change in changes} - removals.keys()
        if present_ids:
            yield from self._updates(self._channel.visible_posts(present_ids), edited_ids)
        # Of other posts, the viewer must not even learn that they existed.
        unsent = [removal for post_id, removal in removals.items() if post_id not in self._sent]
        readable = self._channel.readable_removals(unsent) if unsent else ()
        for post_id in removals:
            if post_id in self._sent or post_id in readable:
                self._sent.pop(post_id, None)  # moderators may show the post again
                yield Event("delete", str(post_id))

    def _conversations(self, ids: Iterable[int]) -> Iterator[Event]:
        viewer = self._channel.viewer
        for post_id in ids:
            with suppress(Http404):  # the viewer may not read the conversation
                view = conversation(post_id=post_id, viewer=viewer)
                (data,) = serialize_conversations(views=[view], viewer=viewer)
                yield Event("conversation", json.dumps(data))

    def _updates(self, views: Iterable[PostView], edited: Iterable[int]) -> Iterator[Event]:
        """Yield an event for each post that was not sent before or that was edited."""
        new_ids = {view.entry_id for view in views if view.entry_id not in self._sent}
        views_to_send = [
            view for view in views if view.entry_id in new_ids or view.entry_id in edited
        ]
        for status in serialize_posts(posts=views_to_send) if views_to_send else ():
            entry_id = int(status["id"])
            # The app may have an older post from an earlier request.
            is_known = entry_id in self._sent or entry_id < self._opened_at_id
            is_update = entry_id not in edited or not is_known
            yield Event("update" if is_update else "status.update", json.dumps(status))
        for entry_id in sorted(new_ids):
            self._sent[entry_id] = None
            self._since = max(self._since, entry_id)
        while len(self._sent) > MAX_SENT_IDS:
            del self._sent[next(iter(self._sent))]

    def _notifications(self) -> Iterator[Event]:
        """Yield an event for each row that is new in the box."""
        if self._known_row_ids is None:
            return
        rows = boxes.get(recipient=self._channel.viewer).recent
        new_rows = [row for row in rows if row.id not in self._known_row_ids]
        self._known_row_ids |= {row.id for row in rows}  # rows may be dismissed and restored
        if new_rows:
            views = ungrouped_views(viewer=self._channel.viewer, rows=new_rows[::-1])
            for notification in serialize_notifications(
                notifications=views, viewer=self._channel.viewer
            ):
                yield Event("notification", json.dumps(notification))
