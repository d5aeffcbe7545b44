"""Mark messages as unread for their recipients. A message is a direct post or a comment on one.

A message does not become unread for users who muted the conversation, who filter notifications from its
sender, or who do not see the message because of a block, a mute or a moderator.
"""

from collections.abc import Collection

from feed.models import Post
from feed.selectors.stored_content import post_row
from feed.store.post_rows import PostRow
from notifications.store import unread_messages
from notifications.store.unread_messages import Message

from .delivery import sender_classes


def deliver_post(*, post: PostRow, recipients: Collection[int]) -> None:
    """Mark a direct post as unread for these recipients. Does nothing for other posts."""
    _deliver(post, Message(post.id, 0, post.author, post.author), recipients)


def deliver_comment(*, comment_id: int, post_id: int, author: int) -> None:
    """Mark a comment on a direct post as unread for all participants except its author."""
    post = post_row(post_id=post_id)
    if post is not None:
        message = Message(post_id, comment_id, author, post.author)
        _deliver(post, message, [post.author, *post.recipients])


def _deliver(post: PostRow, message: Message, recipients: Collection[int]) -> None:
    if post.visibility != Post.Visibility.DIRECT or post.hidden:
        return
    others = [uid for uid in recipients if uid != message.actor]
    classes_by_recipient = sender_classes(recipients=others, actor=message.actor)
    if message.actor != post.author:
        # Users who do not see the post do not see its comments either.
        readers = [uid for uid in classes_by_recipient if uid != post.author]
        viewers = {post.author, *sender_classes(recipients=readers, actor=post.author)}
        classes_by_recipient = {
            uid: classes for uid, classes in classes_by_recipient.items() if uid in viewers
        }
    unread_messages.deliver(
        message=message, classes_by_recipient=classes_by_recipient, sender=message.actor
    )
