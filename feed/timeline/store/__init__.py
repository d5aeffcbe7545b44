"""Queries of inboxes, deliveries and strategy switches. Like ``feed.store``, this package uses PyMongo."""

from . import counted_inboxes, entry_inboxes, inboxes


def create_indexes() -> None:
    """Create the missing indexes of all inboxes. Safe to repeat."""
    for store in (inboxes, entry_inboxes, counted_inboxes):
        store.create_indexes()
