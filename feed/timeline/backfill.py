"""The older posts of people just followed, brought into their new followers' timelines.

Each follow is marked in its own transaction, and the mark goes when this is done (``tasks``).
"""

import logging
import math
import time
from collections.abc import Callable

from django.conf import settings
from django.utils import timezone

from accounts.selectors.follow_graph import pending_backfill_ids, pending_backfills_by_follower
from accounts.services.imports import clear_pending_backfills
from feed.store import posts

from . import strategies

logger = logging.getLogger(__name__)

BACKFILL_BATCH_SIZE = 5000


def run_pending_backfills(
    *, deadline: float = math.inf, on_progress: Callable[[int], None] = lambda _: None
) -> None:
    """All back-fills that are marked now, until ``end`` (of the monotonic clock).

    ``advance``: called with the number of follows whenever some are done.

    By readers, not by single follows; what fails for one reader stays marked for the next time.
    """
    until, above = timezone.now(), 0
    while time.monotonic() < deadline and (
        marked := pending_backfills_by_follower(
            followed_until=until, after_id=above, limit=BACKFILL_BATCH_SIZE
        )
    ):
        above = max(edge for edges in marked.values() for edge in edges)
        warm = strategies.warm_owners(uids=list(marked))
        # Who has no inbox now, after the follow, gets one that is built from all their follows.
        cold = [edge for reader in marked.keys() - warm for edge in marked[reader]]
        clear_pending_backfills(edge_ids=cold)
        on_progress(len(cold))
        for reader in warm:
            edges = pending_backfill_ids(follower=reader)
            try:
                backfill_inbox(owner=reader, authors=list(edges))
            except Exception:
                logger.exception("The back-fill of reader %s waits for the next sweep", reader)
            else:
                clear_pending_backfills(edge_ids=list(edges.values()))
                on_progress(len(edges))


def backfill_inbox(*, owner: int, authors: list[int]) -> None:
    limit = settings.FEED_INBOX_MAX
    newest = posts.ids_by_authors(authors=authors, viewer=owner, limit=limit + 1)
    left_out = newest[limit] if len(newest) > limit else 0
    strategies.add_older(owner=owner, activities=newest[:limit], floor=left_out)
