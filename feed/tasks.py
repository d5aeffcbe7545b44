"""Work that may run in a worker, at any time, twice, and stop anywhere.

The truth about what is unfinished is in the database: in the post (``store.deliveries``) and in the
follow edge (``backfill``). A broker only carries hints; ``sweep`` finds what no hint arrived for. Of the
work itself, deliveries are in ``delivering``, what becomes of their errors in ``attempts``, back-fills in
``backfilling``.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta
from typing import Any

from celery import Task, shared_task
from django.conf import settings
from django.utils import timezone

from accounts.selectors.follow_graph import pending_backfill_id, pending_backfills_by_follower
from accounts.services.follows import clear_pending_backfill

from . import picture_files, stats
from .store import bookmarks, comments, likes, pending_cleanups, posts, revisions, shares
from .store import stats as counters
from .store.pending_cleanups import PendingCleanup
from .timeline import backfill as backfill_jobs
from .timeline import delivery as delivery_jobs
from .timeline import retries, strategies
from .timeline.store import deliveries
from .timeline.store.deliveries import Delivery

logger = logging.getLogger(__name__)

SWEEP_BATCH_SIZE = 500
MAX_IMMEDIATE_RETRIES = 20
"""By a moderator, who waits for the page: each may take as long as a broker is out of reach."""

BACKFILL_SECONDS = 10.0
DROP_SECONDS = 10.0
DROP_BATCH_SIZE = 500
ROLL_UP_SECONDS = 10.0
ROLL_UP_BATCH_SIZE = 1000
MINUTES_RETENTION, HOURS_RETENTION = timedelta(days=2), timedelta(days=90)
UNPUBLISHED_PICTURE_RETENTION = timedelta(days=1)
"""So long somebody may take to publish a picture that they have uploaded."""

MAX_WAIT_SECONDS = 30.0
"""For errors that pass by themselves, in a worker: longer than a replica set needs for a new primary."""


def enqueue(task: Task[..., None], *, delay_seconds: float | None = None, **kwargs: Any) -> None:
    """Ask a worker, if the broker can be reached; for work that begins ``after`` so many seconds. What the
    feed asks for, ``sweep`` will ask again."""
    later: dict[str, Any] = {} if delay_seconds is None else {"countdown": delay_seconds}
    try:
        task.apply_async(kwargs=kwargs, retry=False, **later)
    except Exception:
        logger.warning("No worker could be asked for %s %s", task.name, kwargs, exc_info=True)


# --- Deliveries --------------------------------------------------------------------------------
def enqueue_delivery(*, post_id: int) -> None:
    """Ask workers to bring a post to its audience: for each part that is not finished, one."""
    claimed = deliveries.claim(post=post_id, due_at=delivery_jobs.next_check_at())
    if claimed is not None:
        _ask(claimed)


def retry_deliveries(*, post_ids: list[int]) -> int:
    """Begin anew with deliveries that were given up; returns how many of these were.

    Workers are asked for the first few at once; the others ``sweep`` finds.
    """
    begun = deliveries.reset_failed(ids=post_ids, at=timezone.now())
    for post_id in post_ids[:MAX_IMMEDIATE_RETRIES]:
        enqueue_delivery(post_id=post_id)
    return begun


def _ask(delivery: Delivery) -> None:
    delivery = delivery_jobs.ensure_parts(delivery=delivery)
    if delivery.parts and not delivery.unfinished_parts:
        # Who brought the last part died before it could be noted that it was the last.
        deliveries.finish_if_complete(post=delivery.post, at=timezone.now())
    elif not delivery.parts:
        enqueue(deliver_post, post_id=delivery.post)
    elif delivery.reached == delivery.attempts == 0:
        enqueue(deliver_first, post_id=delivery.post)
    else:
        _ask_for_parts(delivery)


def _ask_for_parts(delivery: Delivery) -> None:
    for part in delivery.unfinished_parts:
        enqueue(
            deliver_part, post_id=delivery.post, part_number=part.number, attempt=delivery.attempts
        )


@shared_task(bind=True)
def deliver_post(self: Task[..., None], *, post_id: int) -> None:
    """Bring a post to its author and their whole audience, here and now, from where it stopped.

    What goes wrong is noted and raised. In a request it is called directly and does not wait for
    anything to pass.
    """

    def deliver() -> None:
        if (delivery := deliveries.get_pending(post=post_id)) is not None:
            delivery_jobs.deliver_whole(delivery=delivery)

    patience = 0.0 if self.request.called_directly else MAX_WAIT_SECONDS
    retries.run_with_retries(deliver, post_id=post_id, attempt=None, max_wait_seconds=patience)


@shared_task
def deliver_first(*, post_id: int) -> None:
    """Bring a post to those who were here last, then ask for all parts of its audience."""
    delivery = deliveries.get_pending(post=post_id)
    if delivery is None:
        return
    try:
        delivery_jobs.deliver_priority(delivery=delivery)
    except Exception:
        # They get it with their buckets.
        logger.exception("Of post %s nobody was served first", post_id)
    _ask_for_parts(delivery)


@shared_task
def deliver_part(*, post_id: int, part_number: int, attempt: int = 0) -> None:
    """Bring a post to one part of its author's audience, from where that stopped.

    ``attempt``: how often the delivery had failed when this was asked for.
    """

    def deliver() -> None:
        delivery = deliveries.get_pending(post=post_id)
        if delivery is not None and 0 <= part_number < len(delivery.parts):
            delivery_jobs.deliver_part(delivery=delivery, part_number=part_number)

    retries.run_with_retries(
        deliver, post_id=post_id, attempt=attempt, max_wait_seconds=MAX_WAIT_SECONDS
    )


# --- Back-fills and inboxes --------------------------------------------------------------------
@shared_task
def backfill(*, follower: int, followee: int) -> None:
    """Bring the older posts of somebody just followed into the follower's timeline."""
    edge = pending_backfill_id(follower=follower, followee=followee)
    if edge is not None:
        backfill_jobs.backfill_inbox(owner=follower, authors=[followee])
        clear_pending_backfill(edge_id=edge, follower=follower, followee=followee)


@shared_task
def backfill_marked() -> None:
    """Finish back-fills for some seconds, so that deliveries need not wait long; ``sweep`` goes on."""
    backfill_jobs.run_pending_backfills(deadline=time.monotonic() + BACKFILL_SECONDS)


@shared_task
def build_inbox(*, owner: int) -> None:
    """Collect the posts of a reader who was away. Should this be lost, their next visit asks again."""
    strategies.active_strategy().build_inbox(owner=owner)


@shared_task
def drop_dormant() -> None:
    """Drop the inboxes of readers who stay away; for some seconds, then another such task goes on."""
    end = time.monotonic() + DROP_SECONDS
    while drop_dormant_batch():
        if time.monotonic() >= end:
            enqueue(drop_dormant)
            return


def drop_dormant_batch() -> int:
    """How many inboxes were dropped; 0: there are no more. May be stopped at any time."""
    return strategies.drop_dormant(before=dormancy_cutoff(), limit=DROP_BATCH_SIZE)


def dormancy_cutoff() -> datetime:
    """Who was here last before this moment has no inbox kept."""
    return timezone.now() - timedelta(days=settings.FEED_DORMANT_DAYS)


@shared_task
def forget_post(*, post_id: int) -> None:
    """Delete what only pointed to a post that is gone. Nobody sees it, even while it is there."""
    posts.delete_shares_of_post(post=post_id)
    shares.delete_shares_of(post=post_id)
    likes.delete_likes_of(posts=[post_id])
    bookmarks.delete_bookmarks_of(posts=[post_id])
    for ids in comments.all_comment_ids(post=post_id):
        likes.delete_likes_of(posts=ids)
        bookmarks.delete_bookmarks_of(posts=ids)
    comments.delete_comments_of_post(post=post_id)
    revisions.delete_revisions_of(post=post_id)
    counters.delete_subjects(subjects=[post_id])
    picture_files.delete_discarded()
    pending_cleanups.remove_cleanup(id=post_id)


@shared_task
def remove_pictures() -> None:
    """Remove the pictures that nobody published for a day, and what is left of those of deleted posts."""
    picture_files.expire_unpublished(before=timezone.now() - UNPUBLISHED_PICTURE_RETENTION)
    while picture_files.delete_discarded():
        """Some at a time."""


@shared_task
def roll_up_stats() -> None:
    """Drop the minutes of counters after two days, and turn hours into days after 90.

    Works for some seconds; then another such task continues.
    """
    end = time.monotonic() + ROLL_UP_SECONDS
    while roll_up_stats_batch(now=timezone.now()):
        if time.monotonic() >= end:
            enqueue(roll_up_stats)
            return


def roll_up_stats_batch(*, now: datetime) -> int:
    """Return how many counters were rolled up; 0 if there are no more. May be stopped at any time."""
    number = counters.drop_minutes(before=now - MINUTES_RETENTION, limit=ROLL_UP_BATCH_SIZE)
    before = counters.start_of_day(
        now - HOURS_RETENTION
    )  # whole days, so that each becomes one document
    for metric in stats.Metric:
        number += counters.roll_up(metric=metric, before=before, limit=ROLL_UP_BATCH_SIZE)
    return number


@shared_task
def forget_comment(*, comment_id: int) -> None:
    """Delete what only pointed to a comment that is gone."""
    likes.delete_likes_of(posts=[comment_id])
    bookmarks.delete_bookmarks_of(posts=[comment_id])
    pending_cleanups.remove_cleanup(id=comment_id)


@shared_task
def sweep() -> None:
    """Start again whatever stopped: deliveries that have not moved, back-fills that did not end, and what
    deletions left behind."""
    now = timezone.now()
    for post_id in deliveries.due_ids(now=now, limit=SWEEP_BATCH_SIZE):
        # Claimed, so that the next sweep does not ask for it again while it waits its turn.
        claimed = deliveries.claim(post=post_id, due_at=delivery_jobs.next_check_at(), now=now)
        if claimed is not None:
            _ask(claimed)
    before = now - timedelta(seconds=settings.FEED_STALLED_AFTER)
    for one in pending_cleanups.due_cleanups(before=before, limit=SWEEP_BATCH_SIZE):
        _forget(one)
    if pending_backfills_by_follower(followed_until=before, limit=1):
        enqueue(backfill_marked)


def _forget(note: PendingCleanup) -> None:
    """Finish what a deletion began; where it never came to that, strike out the note."""
    if note.post is None:
        if posts.by_ids(ids=[note.id]):
            pending_cleanups.remove_cleanup(id=note.id)
        else:
            enqueue(forget_post, post_id=note.id)
        return
    comment = comments.get_comment(post=note.post, id=note.id)
    if comment is not None and not comment.is_deleted:
        pending_cleanups.remove_cleanup(id=note.id)
    else:
        enqueue(forget_comment, comment_id=note.id)
