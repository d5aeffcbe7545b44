"""What is hot, over raw PyMongo.

``inboxes`` (home timelines; ``sealing`` cuts their buckets) with their rivals ``entries`` and ``counted``,
``posts`` (reading posts in lists), ``entities`` (what they are about), ``words`` (what stands in them),
``tags`` (which there are, which are much used), ``comments``, ``shares``, ``likes``,
``tallies`` (how many of these a post has), ``marks`` (what a viewer has shared and liked), ``reading``
(positions), ``publish_keys`` (so that a double click makes one post) and ``deliveries`` (how far each
post has come).

Repositories of plain functions; nothing else in the app imports the driver.
"""

from . import (
    comments,
    counted,
    entities,
    entries,
    inboxes,
    likes,
    publish_keys,
    reading,
    shares,
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
        publish_keys,
        reading,
    ):
        store.prepare()
