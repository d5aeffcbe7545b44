"""All open streams of this process, and the one thread that hears for them what happens.

The thread begins with the first stream and ends some time after the last. Nothing of it outlives a
fork.
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
"""How long the thread waits for another stream."""

RECONNECT_SECONDS = 2.0
"""Between attempts to reach a database that is away."""

SESSION_CHECK_SECONDS = 5.0
"""Between two questions who is still logged in, where many log out."""

MAX_RECENT_POSTS = 500
"""Posts, for those streams that are opened a moment after."""

logger = logging.getLogger(__name__)


class TooManyStreams(Exception):
    """This process has no room for another one."""


class Hub:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: dict[int, list[PageStream]] = {}
        self._number = 0
        self._empty_since = 0.0
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._is_watching = False
        self._is_leaving = False
        self._somebody_left = False
        self._asked_at = -SESSION_CHECK_SECONDS
        self._heard: deque[PostChange] = deque(maxlen=MAX_RECENT_POSTS)
        self._heard_since = 0.0

    def open(self, *, stream: PageStream) -> None:
        """Begin to tell it. Its person has at most so many of its kind, one for each place: the oldest is
        ended. Raises TooManyStreams."""
        with self._lock:
            every = self._streams.get(stream.viewer, [])
            mine = [one for one in every if type(one) is type(stream)]
            same = [one for one in mine if one.slot == stream.slot]
            for old in same or mine[: max(0, len(mine) - stream.max_per_user + 1)]:
                self._forget(old)
                old.end(is_replaced=True)
            if self._number >= settings.LIVE_STREAMS or self._is_leaving:
                raise TooManyStreams
            self._streams.setdefault(stream.viewer, []).append(stream)
            self._number += 1
            # If nobody is watching yet, it is told so as soon as somebody does.
            if self._is_watching:
                stream.add(PageUpdate(has_gap=True))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="live", daemon=True)
                self._thread.start()

    def close(self, *, stream: PageStream) -> None:
        """Safe to repeat."""
        with self._lock:
            self._forget(stream)
        stream.end()

    def may_have_missed_post(
        self, *, stream: PageStream, above_id: int, since: float | None
    ) -> bool:
        """Whether somebody whom the reader follows may have published a post above this id. ``since``: when
        they were last told something, in seconds since 1970; what is not remembered we cannot know."""
        with self._lock:
            heard = list(self._heard)
            is_too_old = since is not None and since < self._heard_since
        return is_too_old or any(
            one.post_id > above_id and stream.follows(one.author) for one in heard
        )

    def request_shutdown(self) -> None:
        """End all streams within a second or so. For handlers of signals: takes no lock."""
        self._is_leaving = True

    def shut_down(self) -> None:
        """End all streams and the thread, and wait for it."""
        with self._lock:
            for stream in self._all():
                self._forget(stream)
                stream.end()
            thread = self._thread
            self._stop.set()
        if thread is not None:
            thread.join()
        self._stop.clear()

    def __len__(self) -> int:
        return self._number

    @property
    def is_watching(self) -> bool:
        return self._is_watching

    def _forget(self, stream: PageStream) -> None:
        mine = self._streams.get(stream.viewer, [])
        if stream not in mine:
            return
        mine.remove(stream)
        if not mine:
            del self._streams[stream.viewer]
        self._number -= 1
        self._empty_since = time.monotonic()

    def _all(self) -> list[PageStream]:
        return [one for mine in self._streams.values() for one in mine]

    def _run(self) -> None:
        token = None
        try:
            while self._is_needed():
                changes = None
                try:
                    changes = ChangeStream(token=token)
                    if token is None:
                        self._begin_anew()
                    for change in changes:
                        token = changes.resume_token
                        if change is not None:
                            self._tell(change)
                        self._end_who_logged_out()
                        if not self._is_needed():
                            return
                except ResumeTokenExpired:
                    logger.warning("What happened meanwhile is not known any more: looking anew.")
                    token = None
                except DatabaseUnavailable as error:
                    logger.warning("Nothing is heard of changes: %s", str(error)[:200])
                    self._stop.wait(RECONNECT_SECONDS)
                except Exception:
                    logger.exception("Nothing was heard of a change: looking anew.")
                    token = None
                    self._stop.wait(RECONNECT_SECONDS)
                finally:
                    if changes is not None:
                        changes.close()
        finally:
            connection.close()

    def _is_needed(self) -> bool:
        """False once and for all: this thread ends then."""
        with self._lock:
            if self._is_leaving:
                for stream in self._all():
                    stream.end()
            lingers = time.monotonic() - self._empty_since < LINGER_SECONDS
            if not self._stop.is_set() and (self._number or lingers):
                return True
            # In the same step, so that a stream that is opened now starts another thread.
            self._thread, self._is_watching = None, False
            return False

    def _begin_anew(self) -> None:
        with self._lock:
            self._is_watching = True
            self._heard.clear()
            self._heard_since = time.time()
            for stream in self._all():
                stream.add(PageUpdate(has_gap=True))

    def _end_who_logged_out(self) -> None:
        if not self._somebody_left or time.monotonic() < self._asked_at + SESSION_CHECK_SECONDS:
            return
        with self._lock:
            streams = [one for one in self._all() if one.session_key is not None]
        self._asked_at = time.monotonic()
        left = active_session_keys(session_keys={one.session_key or "" for one in streams})
        self._somebody_left = False
        for stream in streams:
            if stream.session_key not in left:
                stream.end()

    def _tell(self, change: Change) -> None:
        with self._lock:
            match change:
                case UnreadChanged():
                    for stream in self._streams.get(change.recipient, ()):
                        stream.handle(change)
                case PostChange() | TokenRevoked():
                    if isinstance(change, PostPublished):
                        self._remember(change)
                    for stream in self._all():
                        stream.handle(change)
                case SessionEnded():
                    self._somebody_left = True
                case UserDeactivated():
                    for stream in self._streams.get(change.uid, ()):
                        stream.end()

    def _remember(self, change: PostChange) -> None:
        if len(self._heard) == MAX_RECENT_POSTS:
            self._heard_since = time.time()
        self._heard.append(change)


_hub = Hub()


def get_hub() -> Hub:
    """This process's."""
    return _hub


def _start_anew_after_fork() -> None:
    # Its thread and whoever held its lock are the parent's.
    global _hub
    _hub = Hub()


os.register_at_fork(after_in_child=_start_anew_after_fork)
