"""Work that may run in a worker, at any time, twice, and stop anywhere.

The truth about what is unfinished is in the database: in the post (``store.deliveries``) and in the
follow edge (``backfill``). A broker only carries hints; ``sweep`` finds what no hint arrived for.
"""

from __future__ import annotations

import logging
import math
import time
from datetime import timedelta

from celery import Task, shared_task
from django.conf import settings
from django.utils import timezone

from accounts import selectors as people
from accounts import services as accounts

from . import strategies
from .store import deliveries, posts

logger = logging.getLogger(__name__)

SWEPT_AT_ONCE = 500
MARKED_AT_ONCE = 5000
BACKFILL_SECONDS = 10.0


def enqueue(task: Task[..., None], **ids: int) -> None:
    """Ask a worker; if the broker cannot be reached, ``sweep`` will ask again."""
    try:
        task.apply_async(kwargs=ids, retry=False)
    except Exception:
        logger.warning("No worker could be asked for %s %s", task.name, ids, exc_info=True)


@shared_task
def deliver_post(*, post_id: int) -> None:
    """Bring a post to its author and their audience, bucket by bucket, from where it stopped."""
    pending = deliveries.pending(post=post_id)
    if pending is None:
        return
    author, seq = pending
    strategy = strategies.current()
    # The author's own timeline goes along with the first bucket.
    own = [author] if seq == 0 else []
    while (bucket := people.next_audience_bucket(uid=author, from_seq=seq)) is not None:
        strategy.deliver(activity=post_id, readers=[*own, *bucket.uids])
        own, seq = [], bucket.seq + 1
        deliveries.advance(post=post_id, next_bucket=seq, at=timezone.now())
    if own:
        strategy.deliver(activity=post_id, readers=own)
    deliveries.finish(post=post_id, at=timezone.now())


@shared_task
def backfill(*, follower: int, followee: int) -> None:
    """Bring the older posts of somebody just followed into the follower's timeline."""
    edge = people.pending_backfill(follower=follower, followee=followee)
    if edge is not None:
        _bring_older_posts(reader=follower, authors=[followee])
        accounts.finish_backfill(edge_id=edge)


@shared_task
def backfill_marked() -> None:
    """Finish back-fills for some seconds, so that deliveries need not wait long; ``sweep`` goes on."""
    _backfill_until(time.monotonic() + BACKFILL_SECONDS)


def backfill_all() -> None:
    """Finish all back-fills there are, as after an import."""
    _backfill_until(math.inf)


def _backfill_until(end: float) -> None:
    """By readers, not by single follows; what fails for one reader stays marked for the next time."""
    until, above = timezone.now(), 0
    while time.monotonic() < end and (
        marked := people.marked_for_backfill(until=until, above=above, limit=MARKED_AT_ONCE)
    ):
        above = max(edge for edges in marked.values() for edge in edges)
        warm = strategies.current().warm_among(readers=list(marked))
        # Who has no inbox now, after the follow, gets one that is built from all their follows.
        cold = [edge for reader in marked.keys() - warm for edge in marked[reader]]
        accounts.finish_backfills(edge_ids=cold)
        for reader in warm:
            edges = people.pending_backfills_of(follower=reader)
            try:
                _bring_older_posts(reader=reader, authors=list(edges))
            except Exception:
                logger.exception("The back-fill of reader %s waits for the next sweep", reader)
            else:
                accounts.finish_backfills(edge_ids=list(edges.values()))


def _bring_older_posts(*, reader: int, authors: list[int]) -> None:
    limit = settings.FEED_INBOX_MAX
    newest = posts.ids_by_authors(authors=authors, above=0, limit=limit + 1)
    left_out = newest[limit] if len(newest) > limit else 0
    strategies.current().add_older(reader=reader, activities=newest[:limit], floor=left_out)


@shared_task
def sweep() -> None:
    """Start again whatever stopped: deliveries that have not moved, back-fills that did not end."""
    before = timezone.now() - timedelta(seconds=settings.FEED_STALLED_AFTER)
    stalled = deliveries.stalled(before=before, limit=SWEPT_AT_ONCE)
    if stalled:
        # First, so that the next sweep does not ask for them again while they wait their turn.
        deliveries.touch(ids=stalled, at=timezone.now())
    for post_id in stalled:
        enqueue(deliver_post, post_id=post_id)
    if people.marked_for_backfill(until=before, limit=1):
        enqueue(backfill_marked)
