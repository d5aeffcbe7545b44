"""How many inboxes there are of readers who stay away, whatever strategy keeps them."""

from datetime import datetime

from .collections import counted_readers, inbox_heads, inbox_readers


def count_unseen(*, before: datetime) -> int:
    """Inboxes that nobody has looked at since a moment: on the index of ``last_seen`` alone."""
    unseen = {"last_seen": {"$lt": before}}
    stores = (inbox_heads(), inbox_readers(), counted_readers())
    return sum(store.count_documents(unseen) for store in stores)
