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
    belongings,
    bookmarks,
    comments,
    counted,
    counted_viewers,
    entities,
    entries,
    forgetting,
    inboxes,
    likes,
    publish_keys,
    reading,
    revisions,
    said,
    shares,
    stats,
    tags,
    words,
)


def prepare() -> None:
    """Make the indexes that are missing. Safe to repeat."""
    for store in (
        inboxes,
        entries,
        counted,
        entities,
        words,
        tags,
        comments,
        shares,
        likes,
        belongings,
        bookmarks,
        revisions,
        forgetting,
        publish_keys,
        reading,
        said,
        stats,
        counted_viewers,
    ):
        store.prepare()
