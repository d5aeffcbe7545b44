"""What is hot, over raw PyMongo.

``inboxes`` (home timelines; ``sealing`` cuts their buckets) with their rivals ``entries`` and ``counted``,
``posts`` (reading posts in lists), ``entities`` (what they are about), ``words`` (what stands in them),
``tags`` (which there are, which are much used), ``trending`` (posts that many like), ``directs`` (those to
single people), ``comments``, ``conversations`` (all of them), ``shares``, ``likes``, ``tallies`` (how many
of these a post has), ``belongings`` (what of this is one person's), ``bookmarks``, ``marks`` (what a viewer
has shared, liked and kept), ``pins``, ``people_lists``, ``revisions`` (what posts said before),
``publish_keys`` (so that a double click makes one post), ``filters``, ``reading`` (positions),
``forgetting`` (what is being deleted), ``said`` (who has said the same), ``stats`` (counters over time),
``counted_viewers`` (who is counted already), ``active_hours`` (when users are here) and ``deliveries``
(how far each post has come).

Repositories of plain functions; nothing else in the app imports the driver.
"""

from . import (
    attributes,
    bookmarks,
    comments,
    counted_viewers,
    idempotency_keys,
    likes,
    pending_cleanups,
    reading,
    revisions,
    shares,
    stats,
    tags,
    text_fingerprints,
    text_search,
    user_content,
)


def create_indexes() -> None:
    """Make the indexes that are missing. Safe to repeat."""
    for store in (
        attributes,
        text_search,
        tags,
        comments,
        shares,
        likes,
        user_content,
        bookmarks,
        revisions,
        pending_cleanups,
        idempotency_keys,
        reading,
        text_fingerprints,
        stats,
        counted_viewers,
    ):
        store.create_indexes()
