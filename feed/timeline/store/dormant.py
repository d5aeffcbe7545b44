"""Counts of dormant inboxes over all strategies."""

from datetime import datetime

from . import counted_inboxes, entry_inboxes, inboxes


def count_dormant(*, before: datetime) -> int:
    """Return the number of inboxes that the daily cleanup would drop now."""
    return sum(
        store.lifecycle.count_dormant(before=before)
        for store in (inboxes, entry_inboxes, counted_inboxes)
    )
