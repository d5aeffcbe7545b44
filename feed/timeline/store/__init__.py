"""The raw collections of the home timeline."""

from . import counted_inboxes, entry_inboxes, inboxes


def create_indexes() -> None:
    """Create the missing indexes of all inboxes. Safe to repeat."""
    for store in (inboxes, entry_inboxes, counted_inboxes):
        store.create_indexes()
