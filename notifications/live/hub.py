"""All open streams of this process, and the thread that watches the database for them.

The thread starts with the first stream and stops some time after the last stream closed. A forked process
starts with an empty hub.
"""

import logging
import os
import threading
import time
from collections import deque

from django.conf import settings
from django.db import connection

from notifications.store.changes import (
    Change,
    ChangeStream,
    DatabaseUnavailable,
    PostChange,
    PostPublished,
    ResumeTokenExpired,
    SessionEnded,
    TokenRevoked,
    UnreadChanged,
    UserDeactivated,
    active_session_keys,
)

from .page_stream import PageStream, PageUpdate

LINGER_SECONDS = 60.0
"""How long the thread waits for another stream after the last stream closed."""

RECONNECT_SECONDS = 2.0
"""Delay between attempts to reach the database."""

SESSION_CHECK_SECONDS = 5.0
"""Minimum time between two checks of which sessions still exist."""

MAX_RECENT_POSTS = 500
"""Number of remembered posts. New streams check them for posts that their page missed."""

logger = logging.getLogger(__name__)


class TooManyStreams(Exception):
    """This process has no room for another stream."""


class Hub:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: dict[int, list[PageStream]] = {}
        self._stream_count = 0
        self._empty_since = 0.0
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._is_watching = False
        self._is_leaving = False
        self._has_ended_session = False
        self._sessions_checked_at = -SESSION_CHECK_SECONDS
        self._recent_posts: deque[PostChange] = deque(maxlen=MAX_RECENT_POSTS)
        self._recent_since = 0.0

    def open(self, *, stream: PageStream) -> None:
        """Add a stream, and end the user's streams that the new stream replaces.

        The new stream replaces a stream in the same slot. If there is none, the new stream replaces the
        oldest streams beyond ``max_per_user``. Raises TooManyStreams if this process has no room.
        """
        with self._lock:
            user_streams = self._streams.get(stream.viewer, [])
            same_type_streams = [other for other in user_streams if type(other) is type(stream)]
            same_slot_streams = [other for other in same_type_streams if other.slot == stream.slot]
            for replaced in (
                same_slot_streams
                or same_type_streams[: max(0, len(same_type_streams) - stream.max_per_user + 1)]
            ):
                self._remove(replaced)
                replaced.end(is_replaced=True)
            if self._stream_count >= settings.LIVE_MAX_STREAMS or self._is_leaving:
                raise TooManyStreams
            self._streams.setdefault(stream.viewer, []).append(stream)
            self._stream_count += 1
            # The client may have missed changes before its stream opened. If the hub is not watching yet,
            # ``_start_watching`` reports this gap to the stream.
            if self._is_watching:
                stream.add(PageUpdate(has_gap=True))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="live", daemon=True)
                self._thread.start()

    def close(self, *, stream: PageStream) -> None:
        """Remove a stream. Safe to repeat."""
        with self._lock:
            self._remove(stream)
        stream.end()

    def may_have_missed_post(
        self, *, stream: PageStream, above_id: int, since: float | None
    ) -> bool:
        """Return whether a followed user may have published a post above this id.

        ``since`` is the Unix time of the last event that the viewer got. Also returns True if the hub no
        longer remembers all posts after this time.
        """
        with self._lock:
            recent_posts = list(self._recent_posts)
            is_too_old = since is not None and since < self._recent_since
        return is_too_old or any(
            post.post_id > above_id and stream.follows(post.author) for post in recent_posts
        )

    def request_shutdown(self) -> None:
        """End all streams within about a second. Takes no lock, so signal handlers can call this method."""
        self._is_leaving = True

    def shut_down(self) -> None:
        """End all streams. Stop the thread and wait until it has ended."""
        with self._lock:
            for stream in self._all_streams():
                self._remove(stream)
                stream.end()
            thread = self._thread
            self._stop.set()
        if thread is not None:
            thread.join()
        self._stop.clear()

    def __len__(self) -> int:
        return self._stream_count

    @property
    def is_watching(self) -> bool:
        return self._is_watching

    def _remove(self, stream: PageStream) -> None:
        user_streams = self._streams.get(stream.viewer, [])
        if stream not in user_streams:
            return
        user_streams.remove(stream)
        if not user_streams:
            del self._streams[stream.viewer]
        self._stream_count -= 1
        self._empty_since = time.monotonic()

    def _all_streams(self) -> list[PageStream]:
        return [stream for user_streams in self._streams.values() for stream in user_streams]

    def _run(self) -> None:
        token = None
        try:
            while self._is_needed():
                changes = None
                try:
                    changes = ChangeStream(token=token)
                    if token is None:
                        self._start_watching()
                    for change in changes:
                        token = changes.resume_token
                        if change is not None:
                            self._dispatch(change)
                        self._end_logged_out_streams()
                        if not self._is_needed():
                            return
                except ResumeTokenExpired:
                    logger.warning("The resume token expired. Watching again from now.")
                    token = None
                except DatabaseUnavailable as error:
                    logger.warning("The change stream failed: %s", str(error)[:200])
                    self._stop.wait(RECONNECT_SECONDS)
                except Exception:
                    logger.exception("Handling a change failed. Watching again from now.")
                    token = None
                    self._stop.wait(RECONNECT_SECONDS)
                finally:
                    if changes is not None:
                        changes.close()
        finally:
            connection.close()

    def _is_needed(self) -> bool:
        """Return whether the thread should continue. If False, the thread must end without another step."""
        with self._lock:
            if self._is_leaving:
                for stream in self._all_streams():
                    stream.end()
            lingers = time.monotonic() - self._empty_since < LINGER_SECONDS
            if not self._stop.is_set() and (self._stream_count or lingers):
                return True
            # Still hold the lock, so that a stream that opens after this check starts another thread.
            self._thread, self._is_watching = None, False
            return False

    def _start_watching(self) -> None:
        with self._lock:
            self._is_watching = True
            self._recent_posts.clear()
            self._recent_since = time.time()
            for stream in self._all_streams():
                stream.add(PageUpdate(has_gap=True))

    def _end_logged_out_streams(self) -> None:
        if (
            not self._has_ended_session
            or time.monotonic() < self._sessions_checked_at + SESSION_CHECK_SECONDS
        ):
            return
        with self._lock:
            streams = [stream for stream in self._all_streams() if stream.session_key is not None]
        self._sessions_checked_at = time.monotonic()
        active_keys = active_session_keys(
            session_keys={stream.session_key or "" for stream in streams}
        )
        self._has_ended_session = False
        for stream in streams:
            if stream.session_key not in active_keys:
                stream.end()

    def _dispatch(self, change: Change) -> None:
        with self._lock:
            match change:
                case UnreadChanged():
                    for stream in self._streams.get(change.recipient, ()):
                        stream.handle(change)
                case PostChange() | TokenRevoked():
                    if isinstance(change, PostPublished):
                        self._remember(change)
                    for stream in self._all_streams():
                        stream.handle(change)
                case SessionEnded():
                    self._has_ended_session = True
                case UserDeactivated():
                    for stream in self._streams.get(change.uid, ()):
                        stream.end()

    def _remember(self, change: PostChange) -> None:
        if len(self._recent_posts) == MAX_RECENT_POSTS:
            self._recent_since = time.time()
        self._recent_posts.append(change)


_hub = Hub()


def get_hub() -> Hub:
    """Return the hub of this process."""
    return _hub


def _reset_after_fork() -> None:
    # The child has no copy of the parent's threads. In the child, no thread would read changes for the old
    # hub or release a lock that a thread of the parent held.
    global _hub
    _hub = Hub()


os.register_at_fork(after_in_child=_reset_after_fork)
