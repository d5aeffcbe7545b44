"""Celery tasks of the feed. Each task may run at any time, run twice and stop anywhere.

The database records unfinished work, so no work is lost if the broker loses a message. A post records its
delivery (``timeline.store.deliveries``), a follow edge its backfill, and ``store.pending_cleanups`` each
deletion and change of a user's status. ``sweep`` enqueues stalled work again. The tasks call
``timeline.delivery``, ``timeline.retries`` and ``timeline.backfill``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from celery import Task, shared_task
from django.conf import settings
from django.utils import timezone

from accounts.infra.web_pages.fetch_threads import start_fetch
from accounts.selectors.follow_graph import pending_backfill_id, pending_backfills_by_follower
from accounts.services.follows import clear_backfill

from . import clip_files, picture_files, signals, stats
from .link_cards.cards import RETRY_SECONDS, delete_unused, fetch_for_post
from .services import availability, cleanups
from .services import drafts as draft_services
from .store import answers, comments, drafts, link_cards, pending_cleanups, posts
from .store import stats as counters
from .task_queue import enqueue
from .timeline import backfill as backfill_jobs
from .timeline import delivery as delivery_jobs
from .timeline import retries, strategies
from .timeline.store import deliveries
from .timeline.store.deliveries import Delivery

logger = logging.getLogger(__name__)

SWEEP_BATCH_SIZE = 500
MAX_IMMEDIATE_RETRIES = 20
"""Maximum number of posts that a request enqueues.

If the broker is down, each message delays the page by a timeout.
"""

BACKFILL_SECONDS = 10.0
BATCHES_SECONDS = 10.0
DROP_BATCH_SIZE = 500
ROLL_UP_BATCH_SIZE = 1000
MINUTES_RETENTION, HOURS_RETENTION = timedelta(days=2), timedelta(days=90)
UNPUBLISHED_PICTURE_RETENTION = timedelta(days=1)
"""Pictures that are not published within this time are deleted."""

SCHEDULE_AHEAD = timedelta(minutes=1)
SCHEDULE_RETRY = timedelta(minutes=2)
"""A scheduled post whose task stopped is enqueued again after this time."""

MAX_WAIT_SECONDS = 30.0
"""How long a worker retries after transient errors. A replica set elects a new primary in less time."""


# --- Deliveries --------------------------------------------------------------------------------
def enqueue_delivery(*, post_id: int) -> None:
    """Enqueue the tasks that deliver a post, if its delivery is pending."""
    delivery = deliveries.claim(post=post_id, due_at=delivery_jobs.next_check_at())
    if delivery is not None:
        _enqueue_claimed(delivery)


def retry_deliveries(*, post_ids: list[int]) -> int:
    """Resume failed deliveries. Return the number of these posts whose delivery had failed.

    The first ``MAX_IMMEDIATE_RETRIES`` posts are enqueued at once. ``sweep`` enqueues the others later.
    """
    reset_count = deliveries.reset_failed(ids=post_ids, at=timezone.now())
    for post_id in post_ids[:MAX_IMMEDIATE_RETRIES]:
        enqueue_delivery(post_id=post_id)
    return reset_count


def _enqueue_claimed(delivery: Delivery) -> None:
    delivery = delivery_jobs.ensure_parts(delivery=delivery)
    if delivery.parts and not delivery.unfinished_parts:
        # A worker delivered the last part but died before it marked the delivery as done.
        deliveries.finish_if_complete(post=delivery.post, at=timezone.now())
    elif not delivery.parts:
        enqueue(deliver_post, post_id=delivery.post)
    elif delivery.reached == delivery.attempts == 0:
        enqueue(deliver_priority, post_id=delivery.post)
    else:
        _enqueue_parts(delivery)


def _enqueue_parts(delivery: Delivery) -> None:
    for part in delivery.unfinished_parts:
        enqueue(
            deliver_part, post_id=delivery.post, part_number=part.number, attempt=delivery.attempts
        )


@shared_task
def deliver_post(*, post_id: int) -> None:
    """Deliver a post to its author and the author's whole audience. Skip parts that are done."""
    delivery_jobs.deliver_post(post_id=post_id, max_wait_seconds=MAX_WAIT_SECONDS)


@shared_task
def deliver_priority(*, post_id: int) -> None:
    """Deliver a post to recent visitors, then enqueue all parts of its audience."""
    delivery = deliveries.get_pending(post=post_id)
    if delivery is None:
        return
    try:
        delivery_jobs.deliver_priority(delivery=delivery)
    except Exception:
        # Recent visitors also belong to the parts, so they still receive the post, only later.
        logger.exception("Priority delivery of post %s failed", post_id)
    _enqueue_parts(delivery)


@shared_task
def deliver_part(*, post_id: int, part_number: int, attempt: int = 0) -> None:
    """Deliver a post to one part of its author's audience. Resume after the last delivered bucket.

    Args:
        part_number: index of the part in ``Post.delivery_parts``.
        attempt: value of ``Post.delivery_attempts`` when this task was enqueued.
    """

    def deliver() -> None:
        delivery = deliveries.get_pending(post=post_id)
        if delivery is not None and 0 <= part_number < len(delivery.parts):
            delivery_jobs.deliver_part(delivery=delivery, part_number=part_number)

    retries.run_with_retries(
        deliver, post_id=post_id, attempt=attempt, max_wait_seconds=MAX_WAIT_SECONDS
    )


# --- Backfills and inboxes --------------------------------------------------------------------
@shared_task
def backfill(*, follower: int, followee: int) -> None:
    """Add the older posts of a newly followed user to the follower's inbox."""
    edge_id = pending_backfill_id(follower=follower, followee=followee)
    if edge_id is not None:
        backfill_jobs.backfill_inbox(owner=follower, authors=[followee])
        clear_backfill(edge_id=edge_id, follower=follower, followee=followee)


@shared_task
def run_pending_backfills() -> None:
    """Run pending backfills for ``BACKFILL_SECONDS``. The next ``sweep`` continues.

    The limit keeps the worker free for deliveries.
    """
    backfill_jobs.run_pending_backfills(deadline=time.monotonic() + BACKFILL_SECONDS)


@shared_task
def build_inbox(*, owner: int) -> None:
    """Build the inbox of a returning user. If this task is lost, the next visit enqueues another one."""
    strategies.active_strategy().build_inbox(owner=owner)


@shared_task
def drop_dormant() -> None:
    """Drop dormant inboxes."""
    _run_batches(drop_dormant, drop_dormant_batch)


def _run_batches(task: Task[..., None], run_batch: Callable[[], int | bool]) -> None:
    """Run batches until one had nothing to do. After ``BATCHES_SECONDS``, enqueue the task to continue."""
    deadline = time.monotonic() + BATCHES_SECONDS
    while run_batch():
        if time.monotonic() >= deadline:
            enqueue(task)
            return


def drop_dormant_batch() -> int:
    """Drop a batch of dormant inboxes. Return the number dropped, 0 if none was left."""
    return strategies.drop_dormant(before=dormancy_cutoff(), limit=DROP_BATCH_SIZE)


def dormancy_cutoff() -> datetime:
    """Return the time before which the last visit must be for an inbox to be dormant."""
    return timezone.now() - timedelta(days=settings.FEED_DORMANT_DAYS)


@shared_task
def clean_up_post(*, post_id: int) -> None:
    cleanups.clean_up_post(post_id=post_id)


@shared_task
def end_polls() -> None:
    """Enqueue a task for each poll that has ended and whose voters are not notified yet."""
    for post_id in answers.ended_ids(now=timezone.now(), limit=SWEEP_BATCH_SIZE):
        enqueue(end_poll, post_id=post_id)


@shared_task
def end_poll(*, post_id: int) -> None:
    """Announce the end of a poll to its author and voters.

    If this task stops early, ``end_polls`` enqueues it again. Nobody gets a second notification.
    """
    poll = answers.ended_post(post=post_id, now=timezone.now())
    if poll is None:
        return
    author, ends_at = poll
    signals.poll_ended.send(sender=None, post=post_id, author=author, voters=[])
    for voters in answers.voter_batches(post=post_id):
        signals.poll_ended.send(sender=None, post=post_id, author=author, voters=voters)
    answers.finish_end(post=post_id, ends_at=ends_at)


@shared_task
def clean_up_pictures() -> None:
    """Delete pictures that were not published within a day, and the pictures of deleted posts."""
    picture_files.expire_unpublished(before=timezone.now() - UNPUBLISHED_PICTURE_RETENTION)
    while picture_files.delete_discarded():
        """Each call of ``delete_discarded`` deletes a batch."""


@shared_task
def process_clip(*, clip_id: int) -> None:
    """Convert an uploaded video or audio file, then enqueue the next one. In the queue of slow jobs."""
    clip_files.process(clip_id=clip_id)
    for waiting_id in clip_files.waiting_ids(limit=1):
        if waiting_id != clip_id:
            enqueue(process_clip, clip_id=waiting_id)


@shared_task(bind=True)
def fetch_link_card(self: Task[..., None], *, post_id: int) -> None:
    """Fetch the card of a post's link, and update all posts with this link. A worker does it in a thread.

    If the thread does not finish, ``fetch_missing_link_cards`` enqueues another task.
    """
    fetch = partial(fetch_for_post, post_id=post_id)
    if self.request.called_directly:
        fetch()
    else:
        start_fetch(fetch)


@shared_task
def fetch_missing_link_cards() -> None:
    """Enqueue a task for each post whose card is due: its task was lost, or had to wait."""
    if not settings.FETCH_LINKS:
        return
    now = time.time()
    for post_id in link_cards.due_posts(now=now, limit=SWEEP_BATCH_SIZE):
        if link_cards.postpone(post=post_id, due_at=now + RETRY_SECONDS, now=now):
            enqueue(fetch_link_card, post_id=post_id)


@shared_task
def delete_unused_link_cards() -> None:
    """Delete link cards that no post uses."""
    _run_batches(delete_unused_link_cards, lambda: delete_unused(now=timezone.now()))


@shared_task
def roll_up_stats() -> None:
    """Drop counters per minute after 2 days, and merge counters per hour into days after 90 days."""
    _run_batches(roll_up_stats, lambda: roll_up_stats_batch(now=timezone.now()))


def roll_up_stats_batch(*, now: datetime) -> int:
    """Roll up a batch of counters. Return the number of changed counters, 0 if none was left."""
    count = counters.drop_minutes(before=now - MINUTES_RETENTION, limit=ROLL_UP_BATCH_SIZE)
    # The cutoff is the start of a day, so that no day is stored partly as hours and partly as a day.
    before = counters.start_of_day(now - HOURS_RETENTION)
    for metric in stats.Metric:
        count += counters.roll_up(metric=metric, before=before, limit=ROLL_UP_BATCH_SIZE)
    return count


@shared_task
def clean_up_comment(*, comment_id: int) -> None:
    cleanups.clean_up_comment(comment_id=comment_id)


@shared_task
def correct_numbers(*, uid: int, change: int) -> None:
    """Correct the numbers to which a user contributed whose status changed. In the queue of slow jobs."""
    availability.correct_numbers(uid=uid, change=change)


@shared_task
def publish_due_posts() -> None:
    """Enqueue a task for each scheduled post that is due within ``SCHEDULE_AHEAD``, to start at its time.

    A task may be late, run twice and stop anywhere: the database publishes a post exactly once, and a later
    run repeats what stopped.
    """
    now = timezone.now()
    until = now + SCHEDULE_AHEAD
    while draft_ids := drafts.checkable_ids(until=until, limit=SWEEP_BATCH_SIZE):
        for draft_id in draft_ids:
            # The next run does not enqueue the post again while its task waits.
            due_at = drafts.claim(id=draft_id, until=until, next_check_at=until + SCHEDULE_RETRY)
            if due_at is None:
                continue
            wait = (due_at - timezone.now()).total_seconds()
            enqueue(publish_due_post, delay_seconds=wait if wait > 0 else None, draft_id=draft_id)


@shared_task
def publish_due_post(*, draft_id: int) -> None:
    draft_services.publish_due_post(draft_id=draft_id)


@shared_task
def sweep() -> None:
    """Start or resume work: deliveries, backfills, clips, cleanups after deletions, corrections."""
    now = timezone.now()
    for post_id in deliveries.due_ids(now=now, limit=SWEEP_BATCH_SIZE):
        # Claim the delivery, so that the next sweep does not enqueue it again while its tasks are queued.
        delivery = deliveries.claim(post=post_id, due_at=delivery_jobs.next_check_at(), now=now)
        if delivery is not None:
            _enqueue_claimed(delivery)
    before = now - timedelta(seconds=settings.FEED_STALLED_SECONDS)
    for pending_id, commented_id, change in pending_cleanups.due_cleanups(
        before=before, limit=SWEEP_BATCH_SIZE
    ):
        if change is None:
            _resume_cleanup(pending_id, commented_id)
        elif pending_cleanups.claim_change(uid=pending_id, change=change):
            enqueue(correct_numbers, uid=pending_id, change=change)
    if pending_backfills_by_follower(followed_until=before, limit=1):
        enqueue(run_pending_backfills)
    for clip_id in clip_files.waiting_ids(limit=settings.CLIP_JOBS):
        enqueue(process_clip, clip_id=clip_id)


def _resume_cleanup(deleted_id: int, post_id: int | None) -> None:
    """Enqueue the cleanup after a deletion. If the deletion did not happen, remove the pending cleanup.

    ``post_id`` is the post of a deleted comment.
    """
    if post_id is None:
        is_deleted = not posts.by_ids(ids=[deleted_id])
    else:
        comment = comments.get_comment(post=post_id, id=deleted_id)
        is_deleted = comment is None or comment.is_deleted
    if not is_deleted:
        pending_cleanups.remove_cleanup(id=deleted_id)
    elif post_id is None:
        enqueue(clean_up_post, post_id=deleted_id)
    else:
        enqueue(clean_up_comment, comment_id=deleted_id)
