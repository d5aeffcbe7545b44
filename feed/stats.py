"""Count events: views, likes, posts, deliveries, requests.

Events wait in the memory of the process and are written with two bulk commands, at most once a second. A
process that is killed loses the events of that second. Therefore numbers that must be exact, such as the
likes of a post, have their own place, and nothing is decided by these.
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
"""Distinct events in memory; further ones are dropped while the database does not answer."""

MAX_REMEMBERED_EVENTS = 50_000
DIGEST_BYTES = 16


class Metric(StrEnum):
    """The names of all counters: of posts and their authors, of hashtags, and of the site."""

    VIEWS = "views"
    LIKES = "likes"
    COMMENTS = "comments"
    SHARES = "shares"
    FOLLOWERS = "followers"
    POSTS = "posts"
    AUTHORS = "authors"
    """of a hashtag: people who used it, each once a day"""

    SIGN_UPS = "sign_ups"
    ACTIVE = "active"
    """users who opened a page or used an app, each once a day"""

    ACTIVE_HOURLY = "active_hourly"
    DELIVERIES = "deliveries"
    REPORTS = "reports"
    API_CALLS = "api_calls"
    PAGES = "pages"
    PAGE_MS = "page_ms"
    """milliseconds of all pages together"""


POST_METRICS = {Metric.VIEWS, Metric.LIKES, Metric.COMMENTS, Metric.SHARES}
"""Counted for the author of the post, too."""


@dataclass(frozen=True, slots=True)
class UniqueEvent:
    """An event that counts only if the same viewer has not been counted for it lately.

    ``viewer``: from ``accounts.infra.viewer_keys``, or any text that names where the event came from.
    """

    viewer_key: str
    subject: Subject
    metric: Metric


@dataclass(slots=True)
class _Waiting:
    counts: Counter[EventKey] = field(default_factory=Counter)
    once: dict[UniqueEvent, tuple[datetime, datetime]] = field(default_factory=dict)
    """When, and until when the viewer is not counted again."""


_lock = threading.Lock()
_flushing = threading.Lock()
_wake = threading.Event()
_waiting = _Waiting()
_remembered: dict[int, datetime] = {}
"""Hashes of what was counted lately, which differ in each process, and until when."""

_keys: dict[str, bytes] = {}
_thread: threading.Thread | None = None


def count(*, subject: Subject, metric: Metric, number: int = 1, at: datetime | None = None) -> None:
    """Count events of now or of another second."""
    moment = (at or datetime.now(UTC)).replace(microsecond=0)
    with _lock:
        if number and len(_waiting.counts) < MAX_PENDING_EVENTS:
            _waiting.counts[subject, str(metric), moment] += number
    _start_thread()


def count_unique(
    *, event: UniqueEvent, window: timedelta = HOUR, at: datetime | None = None
) -> None:
    """Count an event unless the same viewer was counted within ``lasts``, which is at most a day.

    The viewer is in memory only until the next flush, and in the database only as a digest.
    """
    moment = (at or datetime.now(UTC)).replace(microsecond=0)
    with _lock:
        if (
            _remembered.get(hash(event), moment) > moment
            or len(_waiting.once) >= MAX_PENDING_EVENTS
        ):
            return
        if len(_remembered) >= MAX_REMEMBERED_EVENTS:
            _remembered.clear()
        _remembered[hash(event)] = moment + window
        _waiting.once[event] = (moment, moment + window)
    _start_thread()


def count_active_user(*, uid: int) -> None:
    """Note that a user is here: once an hour and once a day, and for the user's own profile of hours."""
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
    """Write what waits. Two bulk commands, and on the first call of a day one for the key.

    If the database does not answer, these events are lost; the error is logged.
    """
    global _waiting
    with _flushing:
        with _lock:
            waiting, _waiting = _waiting, _Waiting()
        try:
            _count_new_viewers(waiting)
            stats.add_counts(counts=waiting.counts)
        except Exception:
            logger.exception("Some events were not counted")


def cohort_of_user(*, uid: int) -> str:
    """Return the subject that stands for all users who signed up on the same day as this one."""
    return cohort_on(day=time_of(id=uid))


def cohort_on(*, day: datetime) -> str:
    """Return the subject that stands for all users who signed up on this day."""
    return f"cohort {day:%Y-%m-%d}"


def reset() -> None:
    """Forget what waits and what is remembered, as if the process had just started."""
    global _waiting
    with _lock:
        _waiting = _Waiting()
        _remembered.clear()
        _keys.clear()


def _count_new_viewers(waiting: _Waiting) -> None:
    digests: dict[bytes, UniqueEvent] = {}
    until: dict[bytes, datetime] = {}
    for once, (moment, end) in waiting.once.items():
        digest = _digest(once, moment)
        digests[digest], until[digest] = once, end
    if not digests:
        return
    noted = counted_viewers.add_new(digests=until, now=datetime.now(UTC))
    new = [digests[digest] for digest in noted]
    _count_of_posts([once for once in new if _is_of_post(once)], waiting)
    for once in new:
        moment, _end = waiting.once[once]
        if not _is_of_post(once):
            waiting.counts[once.subject, str(once.metric), moment] += 1
        if once.metric is Metric.ACTIVE:
            waiting.counts[
                cohort_of_user(uid=uid_from_key(key=once.viewer_key)), str(once.metric), moment
            ] += 1
    here = [once for once in new if once.metric is Metric.ACTIVE_HOURLY]
    if here:
        active_hours.record_active(
            uids=[uid_from_key(key=once.viewer_key) for once in here], at=datetime.now(UTC)
        )


def _is_of_post(once: UniqueEvent) -> bool:
    return once.metric in POST_METRICS and isinstance(once.subject, int)


def _count_of_posts(events: list[UniqueEvent], waiting: _Waiting) -> None:
    """Count for the post, its author and the site, but not views by the author or views nobody wants."""
    if not events:
        return
    authors = posts.authors_of(ids=[int(once.subject) for once in events])
    viewed = {
        authors[int(once.subject)]
        for once in events
        if once.metric is Metric.VIEWS and once.subject in authors
    }
    silent = uids_without_view_counts(uids=viewed) if viewed else set()
    for once in events:
        author = authors.get(int(once.subject))
        is_unwanted = author in silent or once.viewer_key == user_key(uid=author or 0)
        if author is None or (once.metric is Metric.VIEWS and is_unwanted):
            continue
        moment, _end = waiting.once[once]
        for subject in (once.subject, author, SITE):
            waiting.counts[subject, str(once.metric), moment] += 1


def _digest(once: UniqueEvent, moment: datetime) -> bytes:
    day = moment.replace(hour=0, minute=0, second=0)
    name = f"{day:%Y-%m-%d}"
    if name not in _keys:
        _keys.clear()
        _keys[name] = counted_viewers.daily_key(day=day)
    text = f"{once.viewer_key}\n{once.subject}\n{once.metric}"
    return hashlib.blake2b(text.encode(), key=_keys[name], digest_size=DIGEST_BYTES).digest()


def _start_thread() -> None:
    global _thread
    _wake.set()
    if settings.STATS_FLUSH_SECONDS and (_thread is None or not _thread.is_alive()):
        with _lock:
            if _thread is None or not _thread.is_alive():
                _thread = threading.Thread(target=_flush_for_ever, name="stats", daemon=True)
                _thread.start()


def _flush_for_ever() -> None:
    while _wake.wait():
        time.sleep(settings.STATS_FLUSH_SECONDS)
        _wake.clear()
        flush()


def _flush_at_exit() -> None:
    if _thread is not None and (_waiting.counts or _waiting.once):
        flush()
        connection.close()


def _start_anew_after_fork() -> None:
    """The parent writes what it has counted; its thread and locks do not exist here."""
    global _lock, _flushing, _wake, _thread, _waiting
    _lock, _flushing, _wake = threading.Lock(), threading.Lock(), threading.Event()
    _thread, _waiting = None, _Waiting()


atexit.register(_flush_at_exit)
os.register_at_fork(after_in_child=_start_anew_after_fork)
