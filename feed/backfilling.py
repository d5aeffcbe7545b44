"""The older posts of people just followed, brought into their new followers' timelines.

Each follow is marked in its own transaction, and the mark goes when this is done (``tasks``).
"""

import logging
import math
import time
from collections.abc import Callable

from django.conf import settings
from django.utils import timezone

from accounts import selectors as people
from accounts import services as accounts

from . import strategies
from .store import posts

logger = logging.getLogger(__name__)

MARKED_AT_ONCE = 5000


def finish_marked(
    *, end: float = math.inf, advance: Callable[[int], None] = lambda _: None
) -> None:
    """All back-fills that are marked now, until ``end`` (of the monotonic clock).

    ``advance``: called with the number of follows whenever some are done.

    By readers, not by single follows; what fails for one reader stays marked for the next time.
    """
    until, above = timezone.now(), 0
    while time.monotonic() < end and (
        marked := people.marked_for_backfill(until=until, above=above, limit=MARKED_AT_ONCE)
    ):
        above = max(edge for edges in marked.values() for edge in edges)
        warm = strategies.warm_among(readers=list(marked))
        # Who has no inbox now, after the follow, gets one that is built from all their follows.
        cold = [edge for reader in marked.keys() - warm for edge in marked[reader]]
        accounts.finish_backfills(edge_ids=cold)
        advance(len(cold))
        for reader in warm:
            edges = people.pending_backfills_of(follower=reader)
            try:
                bring_older_posts(reader=reader, authors=list(edges))
            except Exception:
                logger.exception("The back-fill of reader %s waits for the next sweep", reader)
            else:
                accounts.finish_backfills(edge_ids=list(edges.values()))
                advance(len(edges))


def bring_older_posts(*, reader: int, authors: list[int]) -> None:
    limit = settings.FEED_INBOX_MAX
    newest = posts.ids_by_authors(authors=authors, reader=reader, limit=limit + 1)
    left_out = newest[limit] if len(newest) > limit else 0
    strategies.add_older(reader=reader, activities=newest[:limit], floor=left_out)
