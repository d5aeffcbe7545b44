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

from feed.api.entities import statuses_of
from feed.selectors import PostView
from notifications.api.entities import notifications_of
from notifications.live.app_stream import AppStream, Heard
from notifications.live.hub import Hub
from notifications.selectors import items_in_box, singles
from notifications.store.live import Deleted, Edited, OfPost, Unavailable

from .channels import Channel

HELLO, HEARTBEAT = ":)\n\n", ":thump\n\n"
HEARTBEAT_SECONDS = 15.0
"""A line that says nothing keeps proxies patient, and finds out whether anybody still listens."""

LIFE_SECONDS = 3600.0
"""Then the app connects again."""

LOOK_SECONDS = 1.0
"""Between two looks at what has come; what comes meanwhile waits for the next."""

REFRESH_SECONDS = 30.0
"""Until who is followed anew is heard too."""

REMEMBERED = 1000


class Events:
    """One stream from its opening to its end. ``since``: the id of the moment in which it was opened;
    ``with_notifications``: whether it tells of them."""

    def __init__(
        self,
        *,
        hub: Hub,
        stream: AppStream,
        channel: Channel,
        since: int,
        with_notifications: bool,
    ) -> None:
        self._hub, self._stream, self._channel, self._since = hub, stream, channel, since
        self._sent: dict[int, None] = {}
        self._told: set[int] | None = None
        if with_notifications:
            self._told = {item.id for item in items_in_box(reader=channel.viewer)}

    def __iter__(self) -> Iterator[str]:
        yield HELLO
        try:
            yield from self._said()
        except (Unavailable, Http404):
            return  # the app comes again; its list is gone

    def close(self) -> None:
        """Called by the server, also of who never read a line."""
        self._hub.close(stream=self._stream)

    def _said(self) -> Iterator[str]:
        end = time.monotonic() + LIFE_SECONDS
        beat = time.monotonic() + HEARTBEAT_SECONDS
        fresh = time.monotonic() + REFRESH_SECONDS
        while (now := time.monotonic()) < end and not self._stream.is_ended:
            if now >= fresh:
                self._channel.refresh()
                fresh = now + REFRESH_SECONDS
            heard = self._stream.take(seconds=max(0.0, min(end, beat, fresh) - now))
            said = list(self._answer(heard)) if heard is not None else []
            if not said and time.monotonic() >= beat and not self._stream.is_ended:
                said = [HEARTBEAT]
            if said:
                beat = time.monotonic() + HEARTBEAT_SECONDS
                yield "".join(said)
            if heard is not None:
                self._stream.rest(seconds=LOOK_SECONDS)

    def _answer(self, heard: Heard) -> Iterator[str]:
        if heard.is_unsure:
            yield from self._updates(self._channel.since(self._since), edited=())
        yield from self._posts(heard.posts)
        if heard.box or heard.is_unsure:
            yield from self._notifications()

    def _posts(self, changes: Sequence[OfPost]) -> Iterator[str]:
        edited = {one.post for one in changes if isinstance(one, Edited)}
        gone = dict.fromkeys(one.post for one in changes if isinstance(one, Deleted))
        there = {one.post for one in changes} - gone.keys()
        if there:
            yield from self._updates(self._channel.posts(there), edited)
        for post in gone:
            yield _event("delete", str(post))

    def _updates(self, views: Iterable[PostView], edited: Iterable[int]) -> Iterator[str]:
        """Each once; again only what was ``edited``."""
        new = {one.entry for one in views if one.entry not in self._sent}
        wanted = [one for one in views if one.entry in new or one.entry in edited]
        for status in statuses_of(views=wanted, viewer=self._channel.viewer) if wanted else ():
            entry = int(status["id"])
            is_update = entry not in edited or not self._is_known(entry)
            yield _event("update" if is_update else "status.update", json.dumps(status))
        for entry in sorted(new):
            self._sent[entry] = None
            self._since = max(self._since, entry)
        while len(self._sent) > REMEMBERED:
            del self._sent[next(iter(self._sent))]

    def _is_known(self, entry: int) -> bool:
        """Whether the app may have it: sent by this stream, or there before it."""
        return entry in self._sent or entry < self._since

    def _notifications(self) -> Iterator[str]:
        """What the box has that it did not have before."""
        if self._told is None:
            return
        items = items_in_box(reader=self._channel.viewer)
        new = [item for item in items if item.id not in self._told]
        self._told = {item.id for item in items}
        if new:
            told = singles(reader=self._channel.viewer, items=new[::-1])
            for one in notifications_of(told=told, reader=self._channel.viewer):
                yield _event("notification", json.dumps(one))


def _event(name: str, data: Any) -> str:
    return f"event: {name}\ndata: {data}\n\n"
