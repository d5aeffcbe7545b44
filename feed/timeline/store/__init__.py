"""Queries of inboxes, deliveries and strategy switches. Like ``feed.store``, this package uses PyMongo."""

from datetime import datetime

from . import counted_inboxes, entry_inboxes, inboxes

STORES = (inboxes, entry_inboxes, counted_inboxes)


def create_indexes() -> None:
    """Create the missing indexes of all inboxes. Safe to repeat."""
    for store in STORES:
        store.create_indexes()


def count_dormant(*, before: datetime) -> int:
    """Return the number of inboxes in all strategies that the daily cleanup would drop now."""
    return sum(store.lifecycle.count_dormant(before=before) for store in STORES)
