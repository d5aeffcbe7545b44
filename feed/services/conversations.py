"""Mark conversations as read or unread, and hide them.

The app ``notifications`` stores which messages a user has not read. It receives the signals of this module.
"""

from feed import signals
from feed.store import conversations


def mark_read(*, post_id: int, reader: int) -> None:
    """Mark all messages of a conversation as read. Safe to repeat.

    Call this before reading the messages. A message that arrives later then stays unread.
    """
    signals.conversation_read.send_robust(sender=None, post=post_id, reader=reader)


def mark_unread(*, post_id: int, reader: int, message_id: int) -> None:
    """Mark the last message of a conversation as unread. Safe to repeat."""
    signals.conversation_marked_unread.send_robust(
        sender=None, post=post_id, reader=reader, message=message_id
    )


def hide_conversation(*, post_id: int, reader: int) -> None:
    """Remove a conversation from the reader's list until the next message. Safe to repeat.

    Other participants notice nothing.
    """
    conversations.hide(owner=reader, post=post_id)
    mark_read(post_id=post_id, reader=reader)
