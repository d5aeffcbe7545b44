"""All open streams, and the change stream that watches the database for them."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from django.conf import settings

from accounts.infra.metrics import OPEN_STREAMS
from notifications.store.changes import (
    ChangeStream,
    ChannelChanged,
    ContentChange,
    DatabaseUnavailable,
    PasswordChanged,
    PostPublished,
    RawChange,
    ResumeTokenExpired,
    Revocation,
    UnreadChanged,
    UserDeactivated,
)

from .streams import EndReason, PageStream, Stream

RECONNECT_SECONDS = 2.0
"""Delay between attempts to reach the database."""

MAX_SUBSCRIPTIONS_PER_USER = 60

MAX_RECENT_POSTS = 500
"""Number of remembered posts. New streams check them for posts that their page missed."""

MAX_RECENT_REVOCATIONS = 10_000
"""Number of remembered revocations. Streams that are being opened check them."""

logger = logging.getLogger(__name__)


class TooManyStreams(Exception):
    """There is no room for another stream."""


class NotWatching(Exception):
    """The hub does not watch the database, so a stream could miss a revocation."""


class AccessRevoked(Exception):
    """The session, token or account became invalid while the stream was being opened."""


@dataclass(frozen=True, slots=True)
class Opening:
    """When the opening of a stream began.

    Attributes:
        number: of the opening.
        revocation_count: number of revocations before.
    """

    number: int
    revocation_count: int


class Hub:
    """Call ``begin_opening`` before the viewer is authenticated, and then ``open``.

    The hub remembers revocations, so ``open`` notices those that happen in between.
    """

    def __init__(self) -> None:
        self._streams: dict[int, list[Stream]] = {}
        self._by_credential: dict[Revocation, list[Stream]] = {}
        self._stream_count = 0
        self._is_watching = self._is_leaving = False
        self._recent_posts: deque[PostPublished] = deque(maxlen=MAX_RECENT_POSTS)
        self._recent_since = 0.0
        self._revocations: deque[Revocation] = deque(maxlen=MAX_RECENT_REVOCATIONS)
        self._revocation_count = 0
        self._oldest_revocation_count = 0
        self._opening_count = 0

    def begin_opening(self) -> Opening:
        """Return what ``open`` needs. Raises NotWatching."""
        if not self._is_watching or self._is_leaving:
            raise NotWatching
        self._opening_count += 1
        return Opening(self._opening_count, self._revocation_count)

    def open(self, *, stream: Stream, opening: Opening) -> None:
        """Add a stream, and end the user's streams that it replaces.

        A stream replaces a stream in the same slot. If there is none, it replaces the oldest streams beyond
        ``max_per_user``. Authentication does not keep the order, so the new stream itself ends if others
        were requested later: its page has already been left. Subscriptions replace no stream and have their
        own limit. Raises TooManyStreams, NotWatching or AccessRevoked.
        """
        if opening.revocation_count < self._oldest_revocation_count or self._is_leaving:
            raise NotWatching
        missed_count = self._revocation_count - opening.revocation_count
        if missed_count > len(self._revocations):
            raise NotWatching
        if missed_count and any(map(stream.is_ended_by, list(self._revocations)[-missed_count:])):
            raise AccessRevoked
        stream.number = opening.number
        if not stream.is_subscription:
            self._replace_streams(stream)
            if stream.end_reason() is not None:
                return
        else:
            others = self._streams.get(stream.viewer, [])
            if sum(other.is_subscription for other in others) >= MAX_SUBSCRIPTIONS_PER_USER:
                raise TooManyStreams
        if self._stream_count >= settings.LIVE_MAX_STREAMS:
            raise TooManyStreams
        self._streams.setdefault(stream.viewer, []).append(stream)
        self._by_credential.setdefault(stream.credential, []).append(stream)
        self._stream_count += 1
        OPEN_STREAMS.set(self._stream_count)

    def _replace_streams(self, stream: Stream) -> None:
        same_type_streams = [
            other
            for other in self._streams.get(stream.viewer, [])
            if type(other) is type(stream) and not other.is_subscription
        ]
        same_slot_streams = [other for other in same_type_streams if other.slot == stream.slot]
        rivals = sorted(
            [*(same_slot_streams or same_type_streams), stream], key=attrgetter("number")
        )
        kept_count = 1 if same_slot_streams else stream.max_per_user
        for replaced in rivals[:-kept_count]:
            self._end(replaced, EndReason.REPLACED)

    def close(self, *, stream: Stream) -> None:
        """Remove a stream. Safe to repeat."""
        self._end(stream, EndReason.CLOSED)

    def may_have_missed_post(
        self, *, stream: PageStream, above_id: int, since: float | None
    ) -> bool:
        """Return whether a followed user may have published a post above this id.

        ``since`` is the Unix time of the last event that the viewer got. Also returns True if the hub does
        not remember all posts after this time.
        """
        if since is not None and since < self._recent_since:
            return True
        return any(
            post.post_id > above_id and stream.announces(post) for post in self._recent_posts
        )

    def leave(self) -> None:
        """End all streams and open no others."""
        self._is_leaving = True
        self._end_all()

    def __len__(self) -> int:
        return self._stream_count

    def is_watching(self) -> bool:
        return self._is_watching

    async def run(self) -> None:
        """Watch the database until this task is cancelled."""
        changes = ChangeStream()
        try:
            while True:
                try:
                    await self._watch(changes)
                except ResumeTokenExpired:
                    logger.warning("The resume token expired. All clients have to reconnect.")
                    self._lose_track(changes)
                except DatabaseUnavailable as error:
                    logger.warning("The change stream failed: %s", str(error)[:200])
                    self._is_watching = False
                    if not changes.is_resuming():
                        self._lose_track(changes)
                    await asyncio.sleep(RECONNECT_SECONDS)
                except Exception:
                    logger.exception("The change stream failed. All clients have to reconnect.")
                    self._lose_track(changes)
                    await asyncio.sleep(RECONNECT_SECONDS)
        finally:
            self._is_watching = False
            await changes.close()

    async def _watch(self, changes: ChangeStream) -> None:
        await changes.open()
        if not changes.is_resuming():
            self._recent_posts.clear()
            self._recent_since = time.time()
        self._is_watching = True
        while True:
            raw = await changes.next()
            if raw is not None:
                await self._handle(changes, raw)
            changes.confirm()
            await asyncio.sleep(0)  # the driver does not pause between the changes of a batch

    def _lose_track(self, changes: ChangeStream) -> None:
        """End all streams, also those that are being opened, because revocations may be lost."""
        changes.forget_position()
        self._is_watching = False
        self._revocation_count += 1
        self._oldest_revocation_count = self._revocation_count
        self._revocations.clear()
        self._end_all()

    async def _handle(self, changes: ChangeStream, raw: RawChange) -> None:
        # Nothing here may lose a revocation. Any error ends all streams, see ``run``.
        if revocation := changes.revocation(raw):
            self._revoke(revocation)
            return
        try:
            change = await changes.content_change(raw)
            if change is not None:
                self._dispatch(change)
        except DatabaseUnavailable:
            raise  # this change is read again
        except Exception:
            logger.exception("Handling a change failed. All streams read their state again.")
            for stream in self._all_streams():
                stream.add_gap()

    def _revoke(self, revocation: Revocation) -> None:
        self._revocations.append(revocation)
        self._revocation_count += 1
        # Thousands of sessions may be deleted at once, so only streams that may end are examined.
        if isinstance(revocation, (UserDeactivated, PasswordChanged)):
            streams = self._streams.get(revocation.uid, [])
        else:
            streams = self._by_credential.get(revocation, [])
        for stream in list(streams):
            if stream.is_ended_by(revocation):
                self._end(stream, EndReason.REVOKED)

    def _dispatch(self, change: ContentChange) -> None:
        if isinstance(change, PostPublished) and not change.is_hidden:
            if len(self._recent_posts) == MAX_RECENT_POSTS:
                self._recent_since = time.time()
            self._recent_posts.append(change)
        streams: Iterable[Stream]
        if isinstance(change, UnreadChanged):
            streams = self._streams.get(change.recipient, ())
        elif isinstance(change, ChannelChanged):
            streams = self._streams.get(change.uid, ())
        else:
            streams = self._all_streams()
        for stream in streams:
            stream.handle(change)

    def _end(self, stream: Stream, reason: EndReason) -> None:
        stream.end(reason)
        user_streams = self._streams.get(stream.viewer, [])
        if stream not in user_streams:
            return
        user_streams.remove(stream)
        if not user_streams:
            del self._streams[stream.viewer]
        self._by_credential[stream.credential].remove(stream)
        if not self._by_credential[stream.credential]:
            del self._by_credential[stream.credential]
        self._stream_count -= 1
        OPEN_STREAMS.set(self._stream_count)

    def _end_all(self) -> None:
        for stream in self._all_streams():
            self._end(stream, EndReason.RESTART)

    def _all_streams(self) -> list[Stream]:
        return [stream for user_streams in self._streams.values() for stream in user_streams]
