"""What is hot, over raw PyMongo: ``inboxes`` (home timelines; ``sealing`` cuts their buckets), ``posts``
(reading posts in lists) and ``deliveries`` (how far each has come).

Repositories of plain functions; nothing else in the app imports the driver.
"""

from . import inboxes


def prepare() -> None:
    """Make the indexes that are missing. Safe to repeat."""
    inboxes.prepare()
