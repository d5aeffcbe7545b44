"""Backfill: add the older posts of a newly followed user to the follower's inbox.

The transaction that stores a follow also marks the follow as pending. The mark is cleared when the backfill
is done, so a backfill that was interrupted is repeated (``feed.tasks``).
"""

import logging
import math
import time
from collections.abc import Callable

from django.conf import settings
from django.utils import timezone

from accounts.selectors.follow_graph import pending_backfill_ids, pending_backfills_by_follower
from accounts.services.imports import clear_backfills
from feed.store import posts

from . import strategies

logger = logging.getLogger(__name__)

BACKFILL_BATCH_SIZE = 5000


def run_pending_backfills(
    *, deadline: float = math.inf, on_progress: Callable[[int], None] = lambda _: None
) -> None:
    """Run the backfills that are pending at the start of the call, one for all new follows of a follower.

    If a backfill fails, its follows stay pending and the next sweep retries them.

    Args:
        deadline: a time of the monotonic clock, after which no further batch of follows is started.
        on_progress: a function that is called with the number of follows just finished.
    """
    followed_until, last_edge_id = timezone.now(), 0
    while time.monotonic() < deadline and (
        pending := pending_backfills_by_follower(
            followed_until=followed_until, after_id=last_edge_id, limit=BACKFILL_BATCH_SIZE
        )
    ):
        last_edge_id = max(edge_id for edge_ids in pending.values() for edge_id in edge_ids)
        warm_followers = strategies.warm_owners(uids=list(pending))
        # Dormant followers need no backfill. At their next visit, an inbox is built from all follows.
        dormant_edge_ids = [
            edge_id for follower in pending.keys() - warm_followers for edge_id in pending[follower]
        ]
        clear_backfills(edge_ids=dormant_edge_ids)
        on_progress(len(dormant_edge_ids))
        for follower in warm_followers:
            edge_ids = pending_backfill_ids(follower=follower)
            try:
                backfill_inbox(owner=follower, authors=list(edge_ids))
            except Exception:
                logger.exception("Backfill of user %s failed; the next sweep retries it", follower)
            else:
                clear_backfills(edge_ids=list(edge_ids.values()))
                on_progress(len(edge_ids))


def backfill_inbox(*, owner: int, authors: list[int]) -> None:
    """Add the newest posts of these authors to the inbox, at most ``FEED_INBOX_MAX``."""
    limit = settings.FEED_INBOX_MAX
    newest_ids = posts.ids_by_authors(authors=authors, viewer=owner, limit=limit + 1)
    newest_omitted_id = newest_ids[limit] if len(newest_ids) > limit else 0
    strategies.add_older(owner=owner, activities=newest_ids[:limit], floor=newest_omitted_id)
