"""Count events over time, such as views, likes, deliveries and requests.

Each process collects events in memory and writes the counters with bulk commands, at most once every
``STATS_FLUSH_SECONDS``. A killed process loses the events since its last write. Therefore exact numbers,
such as the likes of a post, are stored elsewhere, and no decision depends on these counters.
"""

import atexit
import hashlib
import logging
import os
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db import connection

from accounts.infra.ids import time_of
from accounts.infra.viewer_keys import uid_from_key, user_key
from accounts.selectors.profiles import uids_without_view_counts

from .store import active_hours, counted_viewers, posts, stats
from .store.stats import EventKey, Subject

logger = logging.getLogger(__name__)

SITE = "site"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MAX_PENDING_EVENTS = 100_000
"""Maximum distinct events in memory. Further events are dropped, so that memory stays bounded."""

MAX_REMEMBERED_EVENTS = 50_000
DIGEST_BYTES = 16


class Metric(StrEnum):
    """The names of all counters of posts, authors, hashtags and the whole site."""

    VIEWS = "views"
    LIKES = "likes"
    COMMENTS = "comments"
    SHARES = "shares"
    FOLLOWERS = "followers"
    POSTS = "posts"
    AUTHORS = "authors"
    """authors who used a hashtag, each counted once a day"""

    SIGN_UPS = "sign_ups"
    ACTIVE = "active"
    """users who opened a page or used an app, each counted once a day"""

    ACTIVE_HOURLY = "active_hourly"
    DELIVERIES = "deliveries"
    REPORTS = "reports"
    API_CALLS = "api_calls"
    PAGES = "pages"
    PAGE_MS = "page_ms"
    """total response time of all pages, in milliseconds"""


POST_METRICS = (Metric.VIEWS, Metric.LIKES, Metric.COMMENTS, Metric.SHARES)
"""Metrics of a post that are also added to the counters of its author and of the site."""


@dataclass(frozen=True, slots=True)
class UniqueEvent:
    """An event that counts at most once per viewer within a window.

    Attributes:
        viewer_key: a key from ``accounts.infra.viewer_keys``, or other text that identifies the source
            of the event, such as "post 5".
        subject: a post id, uid or name to which the counter belongs.
    """

    viewer_key: str
    subject: Subject
    metric: Metric


@dataclass(slots=True)
class _PendingEvents:
    counts: Counter[EventKey] = field(default_factory=Counter)
    unique: dict[UniqueEvent, tuple[datetime, datetime]] = field(default_factory=dict)
    """The time of each event and the end of its window."""


_lock = threading.Lock()
_flushing = threading.Lock()
_wake = threading.Event()
_pending = _PendingEvents()
_remembered: dict[int, datetime] = {}
"""Expiry times by the hash of each recently counted event. The hash saves memory and is never stored."""

_keys: dict[str, bytes] = {}
_thread: threading.Thread | None = None


def count(*, subject: Subject, metric: Metric, number: int = 1, at: datetime | None = None) -> None:
    """Add ``number`` to a counter, at the current time or at ``at``."""
    moment = (at or datetime.now(UTC)).replace(microsecond=0)
    with _lock:
        if number and len(_pending.counts) < MAX_PENDING_EVENTS:
            _pending.counts[subject, str(metric), moment] += number
    _start_thread()


def count_unique(
    *, event: UniqueEvent, window: timedelta = HOUR, at: datetime | None = None
) -> None:
    """Count an event unless the same event was counted within ``window``, which is at most a day.

    For privacy, the viewer key stays in memory only until the next flush. The database stores only a
    digest.
    """
    moment = (at or datetime.now(UTC)).replace(microsecond=0)
    with _lock:
        if (
            _remembered.get(hash(event), moment) > moment
            or len(_pending.unique) >= MAX_PENDING_EVENTS
        ):
            return
        if len(_remembered) >= MAX_REMEMBERED_EVENTS:
            _remembered.clear()
        _remembered[hash(event)] = moment + window
        _pending.unique[event] = (moment, moment + window)
    _start_thread()


def count_active_user(*, uid: int) -> None:
    """Count an active user at most once an hour and once a day, and record the user's active hours."""
    now = datetime.now(UTC)
    viewer = user_key(uid=uid)
    count_unique(
        event=UniqueEvent(viewer, SITE, Metric.ACTIVE_HOURLY),
        window=stats.start_of_hour(now) + HOUR - now,
    )
    count_unique(
        event=UniqueEvent(viewer, SITE, Metric.ACTIVE), window=stats.start_of_day(now) + DAY - now
    )


def flush() -> None:
    """Write the pending events.

    Two bulk commands, and one more on the first call of a day. If the database does not answer, the events
    are lost.
    """
    global _pending
    with _flushing:
        with _lock:
            pending, _pending = _pending, _PendingEvents()
        try:
            _count_new_viewers(pending)
            stats.add_counts(counts=pending.counts)
        except Exception:
            logger.exception("Some events were not counted")


def cohort_on(*, day: datetime) -> str:
    """Return the counter subject for all users who signed up on this day."""
    return f"cohort {day:%Y-%m-%d}"


def reset() -> None:
    """Discard pending and remembered events, as if the process had just started."""
    global _pending
    with _lock:
        _pending = _PendingEvents()
        _remembered.clear()
        _keys.clear()


def _count_new_viewers(pending: _PendingEvents) -> None:
    events_by_digest: dict[bytes, UniqueEvent] = {}
    expires_at: dict[bytes, datetime] = {}
    for event, (moment, expiry) in pending.unique.items():
        digest = _digest(event, moment)
        events_by_digest[digest], expires_at[digest] = event, expiry
    if not events_by_digest:
        return
    new_digests = counted_viewers.add_new(digests=expires_at, now=datetime.now(UTC))
    new_events = [events_by_digest[digest] for digest in new_digests]
    _count_post_events([event for event in new_events if _is_post_event(event)], pending)
    for event in new_events:
        moment, _end = pending.unique[event]
        if not _is_post_event(event):
            pending.counts[event.subject, str(event.metric), moment] += 1
        if event.metric is Metric.ACTIVE:
            cohort = cohort_on(day=time_of(id=uid_from_key(key=event.viewer_key)))
            pending.counts[cohort, str(event.metric), moment] += 1
    active_events = [event for event in new_events if event.metric is Metric.ACTIVE_HOURLY]
    if active_events:
        active_hours.record_active(
            uids=[uid_from_key(key=event.viewer_key) for event in active_events],
            at=datetime.now(UTC),
        )


def _is_post_event(event: UniqueEvent) -> bool:
    return event.metric in POST_METRICS and isinstance(event.subject, int)


def _count_post_events(events: list[UniqueEvent], pending: _PendingEvents) -> None:
    """Count each event for the post, its author and the site.

    Views are not counted if the viewer is the author, or if the author turned view counts off.
    """
    if not events:
        return
    authors = posts.authors_of(ids=[int(event.subject) for event in events])
    viewed = {
        authors[int(event.subject)]
        for event in events
        if event.metric is Metric.VIEWS and event.subject in authors
    }
    uncounted_authors = uids_without_view_counts(uids=viewed) if viewed else set()
    for event in events:
        author = authors.get(int(event.subject))
        is_unwanted = author in uncounted_authors or event.viewer_key == user_key(uid=author or 0)
        if author is None or (event.metric is Metric.VIEWS and is_unwanted):
            continue
        moment, _end = pending.unique[event]
        for subject in (event.subject, author, SITE):
            pending.counts[subject, str(event.metric), moment] += 1


def _digest(event: UniqueEvent, moment: datetime) -> bytes:
    day = moment.replace(hour=0, minute=0, second=0)
    name = f"{day:%Y-%m-%d}"
    if name not in _keys:
        _keys.clear()
        _keys[name] = counted_viewers.daily_key(day=day)
    text = f"{event.viewer_key}\n{event.subject}\n{event.metric}"
    return hashlib.blake2b(text.encode(), key=_keys[name], digest_size=DIGEST_BYTES).digest()


def _start_thread() -> None:
    global _thread
    _wake.set()
    if settings.STATS_FLUSH_SECONDS and (_thread is None or not _thread.is_alive()):
        with _lock:
            if _thread is None or not _thread.is_alive():
                _thread = threading.Thread(target=_flush_forever, name="stats", daemon=True)
                _thread.start()


def _flush_forever() -> None:
    while _wake.wait():
        time.sleep(settings.STATS_FLUSH_SECONDS)
        _wake.clear()
        flush()


def _flush_at_exit() -> None:
    if _thread is not None and (_pending.counts or _pending.unique):
        flush()
        connection.close()


def _reset_after_fork() -> None:
    """Reset the state of a forked process.

    The parent writes the events it collected, so the child drops its copy. The flush thread does not
    exist in the child, and inherited locks could stay locked forever.
    """
    global _lock, _flushing, _wake, _thread, _pending
    _lock, _flushing, _wake = threading.Lock(), threading.Lock(), threading.Event()
    _thread, _pending = None, _PendingEvents()


atexit.register(_flush_at_exit)
os.register_at_fork(after_in_child=_reset_after_fork)
