"""The numbers of a box that the navigation shows. One command reads both."""

from dataclasses import dataclass

from accounts.infra.store.connection import Document

from .collections import notification_boxes

UNREAD_FIELDS = ("unread", "unread_conversations")


@dataclass(frozen=True, slots=True)
class UnreadCounts:
    """The numbers of unread notifications, and of conversations with unread messages."""

    notifications: int = 0
    conversations: int = 0


def unread_counts(*, recipient: int) -> UnreadCounts:
    """Return the numbers of a user. Runs one command."""
    fields = dict.fromkeys(UNREAD_FIELDS, 1)
    return unread_counts_in(notification_boxes().find_one({"_id": recipient}, fields))


def unread_counts_in(document: Document | None) -> UnreadCounts:
    """Return the numbers in a box that was read with ``UNREAD_FIELDS``, zeros if there is no box."""
    if document is None:
        return UnreadCounts()
    return UnreadCounts(document["unread"], document.get("unread_conversations", 0))
