"""How many inboxes there are of readers who stay away, whatever strategy keeps them."""

from datetime import datetime

from . import counted_inboxes, entry_inboxes, inboxes


def count_unseen(*, before: datetime) -> int:
    """Inboxes that the daily job would drop now."""
    return sum(
        store.lives.count_unseen(before=before)
        for store in (inboxes, entry_inboxes, counted_inboxes)
    )
