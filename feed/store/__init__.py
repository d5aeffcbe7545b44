"""What is hot, over raw PyMongo.

``inboxes`` (home timelines; ``sealing`` cuts their buckets) with their rivals ``entries`` and ``counted``,
``posts`` (reading posts in lists), ``shares``, ``likes``,
``marks`` (what a viewer has shared and liked), ``reading`` (positions) and ``deliveries`` (how far each
post has come).

Repositories of plain functions; nothing else in the app imports the driver.
"""

from . import counted, entries, inboxes, likes, reading, shares


def prepare() -> None:
    """Make the indexes that are missing. Safe to repeat."""
    for store in (inboxes, entries, counted, shares, likes, reading):
        store.prepare()
