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

from accounts import selectors as people
from accounts import services as accounts

from . import attempts, backfilling, delivering, pictures, stats, strategies
from .store import bookmarks, comments, deliveries, forgetting, likes, posts, revisions, shares
from .store import stats as counters
from .store.deliveries import Delivery
from .store.forgetting import Note

logger = logging.getLogger(__name__)

SWEPT_AT_ONCE = 500
RETRIED_AT_ONCE = 20
"""By a moderator, who waits for the page: each may take as long as a broker is out of reach."""

BACKFILL_SECONDS = 10.0
DROP_SECONDS = 10.0
DROPPED_AT_ONCE = 500
ROLL_UP_SECONDS = 10.0
ROLLED_UP_AT_ONCE = 1000
MINUTES_KEPT, HOURS_KEPT = timedelta(days=2), timedelta(days=90)
WAITING = timedelta(days=1)
"""So long somebody may take to publish a picture that they have uploaded."""

PATIENCE_SECONDS = 30.0
"""For errors that pass by themselves, in a worker: longer than a replica set needs for a new primary."""


def enqueue(task: Task[..., None], *, after: float | None = None, **ids: Any) -> None:
    """Ask a worker, if the broker can be reached; for work that begins ``after`` so many seconds. What the
    feed asks for, ``sweep`` will ask again."""
    later: dict[str, Any] = {} if after is None else {"countdown": after}
    try:
        task.apply_async(kwargs=ids, retry=False, **later)
    except Exception:
        logger.warning("No worker could be asked for %s %s", task.name, ids, exc_info=True)


# --- Deliveries --------------------------------------------------------------------------------
def enqueue_delivery(*, post_id: int) -> None:
    """Ask workers to bring a post to its audience: for each part that is not finished, one."""
    claimed = deliveries.claim(post=post_id, until=delivering.look_again_at())
    if claimed is not None:
        _ask(claimed)


def retry_deliveries(*, post_ids: list[int]) -> int:
    """Begin anew with deliveries that were given up; returns how many of these were.

    Workers are asked for the first few at once; the others ``sweep`` finds.
    """
    begun = deliveries.retry(ids=post_ids, at=timezone.now())
    for post_id in post_ids[:RETRIED_AT_ONCE]:
        enqueue_delivery(post_id=post_id)
    return begun


def _ask(delivery: Delivery) -> None:
    delivery = delivering.with_parts(delivery=delivery)
    if delivery.parts and not delivery.unfinished:
        # Who brought the last part died before it could be noted that it was the last.
        deliveries.finish_if_complete(post=delivery.post, at=timezone.now())
    elif not delivery.parts:
        enqueue(deliver_post, post_id=delivery.post)
    elif delivery.reached == delivery.attempts == 0:
        enqueue(deliver_first, post_id=delivery.post)
    else:
        _ask_for_parts(delivery)


def _ask_for_parts(delivery: Delivery) -> None:
    for part in delivery.unfinished:
        enqueue(deliver_part, post_id=delivery.post, part=part.number, attempt=delivery.attempts)


@shared_task(bind=True)
def deliver_post(self: Task[..., None], *, post_id: int) -> None:
    """Bring a post to its author and their whole audience, here and now, from where it stopped.

    What goes wrong is noted and raised. In a request it is called directly and does not wait for
    anything to pass.
    """

    def deliver() -> None:
        if (delivery := deliveries.pending(post=post_id)) is not None:
            delivering.deliver_whole(delivery=delivery)

    patience = 0.0 if self.request.called_directly else PATIENCE_SECONDS
    attempts.attempt(deliver, post_id=post_id, number=None, patience=patience)


@shared_task
def deliver_first(*, post_id: int) -> None:
    """Bring a post to those who were here last, then ask for all parts of its audience."""
    delivery = deliveries.pending(post=post_id)
    if delivery is None:
        return
    try:
        delivering.deliver_to_latest(delivery=delivery)
    except Exception:
        # They get it with their buckets.
        logger.exception("Of post %s nobody was served first", post_id)
    _ask_for_parts(delivery)


@shared_task
def deliver_part(*, post_id: int, part: int, attempt: int = 0) -> None:
    """Bring a post to one part of its author's audience, from where that stopped.

    ``attempt``: how often the delivery had failed when this was asked for.
    """

    def deliver() -> None:
        delivery = deliveries.pending(post=post_id)
        if delivery is not None and 0 <= part < len(delivery.parts):
            delivering.deliver_part(delivery=delivery, number=part)

    attempts.attempt(deliver, post_id=post_id, number=attempt, patience=PATIENCE_SECONDS)


# --- Back-fills and inboxes --------------------------------------------------------------------
@shared_task
def backfill(*, follower: int, followee: int) -> None:
    """Bring the older posts of somebody just followed into the follower's timeline."""
    edge = people.pending_backfill(follower=follower, followee=followee)
    if edge is not None:
        backfilling.bring_older_posts(reader=follower, authors=[followee])
        accounts.finish_backfill(edge_id=edge, follower=follower, followee=followee)


@shared_task
def backfill_marked() -> None:
    """Finish back-fills for some seconds, so that deliveries need not wait long; ``sweep`` goes on."""
    backfilling.finish_marked(end=time.monotonic() + BACKFILL_SECONDS)


@shared_task
def build_inbox(*, reader: int) -> None:
    """Collect the posts of a reader who was away. Should this be lost, their next visit asks again."""
    strategies.current().build(reader=reader)


@shared_task
def drop_dormant() -> None:
    """Drop the inboxes of readers who stay away; for some seconds, then another such task goes on."""
    end = time.monotonic() + DROP_SECONDS
    while drop_some_dormant():
        if time.monotonic() >= end:
            enqueue(drop_dormant)
            return


def drop_some_dormant() -> int:
    """How many inboxes were dropped; 0: there are no more. May be stopped at any time."""
    return strategies.drop_unseen(before=dormant_before(), limit=DROPPED_AT_ONCE)


def dormant_before() -> datetime:
    """Who was here last before this moment has no inbox kept."""
    return timezone.now() - timedelta(days=settings.FEED_DORMANT_DAYS)


@shared_task
def forget_post(*, post_id: int) -> None:
    """Delete what only pointed to a post that is gone. Nobody sees it, even while it is there."""
    posts.delete_shares_of(post=post_id)
    shares.delete_all_of(post=post_id)
    likes.delete_all_of(posts=[post_id])
    bookmarks.delete_all_of(posts=[post_id])
    for ids in comments.ids_of(post=post_id):
        likes.delete_all_of(posts=ids)
        bookmarks.delete_all_of(posts=ids)
    comments.delete_all_of(post=post_id)
    revisions.delete_all_of(post=post_id)
    counters.delete_all_of(subjects=[post_id])
    pictures.remove_gone()
    forgetting.strike_out(id=post_id)


@shared_task
def remove_pictures() -> None:
    """Remove the pictures that nobody published for a day, and what is left of those of deleted posts."""
    pictures.expire(before=timezone.now() - WAITING)
    while pictures.remove_gone():
        """Some at a time."""


@shared_task
def roll_up_stats() -> None:
    """Drop the minutes of counters after two days, and turn hours into days after 90.

    Works for some seconds; then another such task continues.
    """
    end = time.monotonic() + ROLL_UP_SECONDS
    while roll_up_some_stats(now=timezone.now()):
        if time.monotonic() >= end:
            enqueue(roll_up_stats)
            return


def roll_up_some_stats(*, now: datetime) -> int:
    """Return how many counters were rolled up; 0 if there are no more. May be stopped at any time."""
    number = counters.drop_minutes(before=now - MINUTES_KEPT, limit=ROLLED_UP_AT_ONCE)
    before = counters.day_of(now - HOURS_KEPT)  # whole days, so that each becomes one document
    for metric in stats.Metric:
        number += counters.roll_up(metric=metric, before=before, limit=ROLLED_UP_AT_ONCE)
    return number


@shared_task
def forget_comment(*, comment_id: int) -> None:
    """Delete what only pointed to a comment that is gone."""
    likes.delete_all_of(posts=[comment_id])
    bookmarks.delete_all_of(posts=[comment_id])
    forgetting.strike_out(id=comment_id)


@shared_task
def sweep() -> None:
    """Start again whatever stopped: deliveries that have not moved, back-fills that did not end, and what
    deletions left behind."""
    now = timezone.now()
    for post_id in deliveries.due(at=now, limit=SWEPT_AT_ONCE):
        # Claimed, so that the next sweep does not ask for it again while it waits its turn.
        claimed = deliveries.claim(post=post_id, until=delivering.look_again_at(), due=now)
        if claimed is not None:
            _ask(claimed)
    before = now - timedelta(seconds=settings.FEED_STALLED_AFTER)
    for one in forgetting.due(until=before, limit=SWEPT_AT_ONCE):
        _forget(one)
    if people.marked_for_backfill(until=before, limit=1):
        enqueue(backfill_marked)


def _forget(note: Note) -> None:
    """Finish what a deletion began; where it never came to that, strike out the note."""
    if note.post is None:
        if posts.by_ids(ids=[note.id]):
            forgetting.strike_out(id=note.id)
        else:
            enqueue(forget_post, post_id=note.id)
        return
    comment = comments.get(post=note.post, id=note.id)
    if comment is not None and not comment.is_gone:
        forgetting.strike_out(id=note.id)
    else:
        enqueue(forget_comment, comment_id=note.id)
