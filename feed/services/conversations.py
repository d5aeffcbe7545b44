"""Mark conversations as read or unread, and hide them.

The app ``notifications`` stores which messages a user has not read. It receives the signals of this module.
"""

from accounts.infra.ids import MAX_ID
from feed import signals
from feed.store import comment_pages, conversations
from feed.store.post_rows import IdRange

MAX_OWN_MESSAGES = 100
"""After more messages of their own, readers have to load the page again before they can hide it."""


def mark_read(*, post_id: int, reader: int, newest_id: int = MAX_ID) -> None:
    """Mark the messages of a conversation up to the id ``newest_id`` as read. Safe to repeat.

    Call this before reading the messages. A message that arrives later then stays unread.
    """
    signals.conversation_read.send_robust(
        sender=None, post=post_id, reader=reader, newest=newest_id
    )


def mark_unread(*, post_id: int, reader: int, message_id: int) -> None:
    """Mark the last message of a conversation as unread. Safe to repeat."""
    signals.conversation_marked_unread.send_robust(
        sender=None, post=post_id, reader=reader, message=message_id
    )


def hide_conversation(*, post_id: int, reader: int, newest_id: int) -> bool:
    """Remove a conversation from the reader's list until the next message. Safe to repeat.

    Return False and change nothing if others have written after the message ``newest_id``, the last one
    on the reader's page. Other participants notice nothing.
    """
    newer = comment_pages.comments_in_time_order(
        post=post_id, id_range=IdRange(newest_id, is_ascending=True), limit=MAX_OWN_MESSAGES
    )
    if all(comment.uid == reader for comment in newer):
        # The page does not always reload after a reply of the reader.
        newest_id = max([newest_id, *(comment.id for comment in newer)])
    if not conversations.hide(owner=reader, post=post_id, newest_id=newest_id):
        return False
    mark_read(post_id=post_id, reader=reader, newest_id=newest_id)
    return True
