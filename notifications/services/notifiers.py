"""Notify the right recipients about posts, comments and edits, and mark messages as unread for them.

A message is a direct post or a comment on one. It does not become unread for users who muted the
conversation, who filter notifications from its sender, or who do not see it because of a block, a mute or a
moderator.

A post may have many quotes and shares, so a worker notifies their authors of an edit in batches. A
recipient whose box still contains the notification of an earlier edit gets no second one.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from feed import attributes
from feed.models import Post
from feed.selectors.stored_content import (
    comment_row,
    other_reviewers,
    post_row,
    quoted_author,
    quotes_after,
    shares_after,
    uids_with_access,
    uids_with_access_to_comment,
)
from feed.store.post_rows import PostRow
from notifications.store import threads, unread_messages
from notifications.store.unread_messages import Message

from .delivery import notify, sender_classes

BATCH_SIZE = 500


def notify_about_post(*, post: PostRow) -> None:
    """Notify the quoted author, mentioned users and other reviewers of the same subject.

    Mark a direct post as unread.
    """
    if post.share_of is not None:
        return
    deliver_post(post=post, recipients=post.recipients)
    # The recipients of a message that quotes them are notified of the message.
    quoted_uids = [] if post.recipients else quoted_author(post=post)
    mentioned_uids = [uid for uid in post.mentioned_uids if uid not in quoted_uids]
    reviewer_uids = [uid for uid in other_reviewers(post=post) if uid not in post.mentioned_uids]
    notify_with_access(post=post, kind="quote", uids=quoted_uids)
    notify_with_access(post=post, kind="mention", uids=mentioned_uids)
    notify_with_access(post=post, kind="reviewed", uids=reviewer_uids)


@dataclass(frozen=True, slots=True)
class CommentEvent:
    """A published comment. ``parent_author`` is 0 for comments on the post itself.

    ``visibility`` and ``recipients`` are as in ``feed.store.comment_rows.Comment``.
    """

    comment_id: int
    post_id: int
    author: int
    post_author: int
    parent_author: int
    text: str
    visibility: str = ""
    recipients: Collection[int] = ()


def comment_event(*, comment_id: int, post_id: int, parent_id: int) -> CommentEvent | None:
    """Return the event of a stored comment, or None if the post or comment is deleted."""
    post = post_row(post_id=post_id)
    comment = comment_row(post_id=post_id, comment_id=comment_id)
    if post is None or comment is None:
        return None
    parent = comment_row(post_id=post_id, comment_id=parent_id) if parent_id else None
    parent_author = parent.uid if parent else 0
    return CommentEvent(
        comment_id=comment_id,
        post_id=post_id,
        author=comment.uid,
        post_author=post.author,
        parent_author=parent_author,
        text=comment.text,
        visibility=comment.visibility,
        recipients=comment.recipients,
    )


def notify_about_comment(*, event: CommentEvent, max_followers: int | None = None) -> bool:
    """Notify the parent's author, mentioned users, the post's author and thread followers.

    Each recipient gets one notification, for the first role that applies. If there are more than
    ``max_followers`` thread followers, returns False without notifying the thread followers, else True.
    """
    uids_by_kind = {
        "reply": [event.parent_author] if event.parent_author else [],
        "mention": event.recipients
        if event.visibility
        else attributes.mentioned_uids(text=event.text),
        "comment": [event.post_author],
    }
    handled_uids = {event.author}
    all_uids = {uid for uids in uids_by_kind.values() for uid in uids} - handled_uids
    uids_with_view = _uids_with_access(event, all_uids)
    for kind, uids in uids_by_kind.items():
        _notify_about_comment(
            kind, event, [uid for uid in uids if uid in uids_with_view and uid not in handled_uids]
        )
        handled_uids.update(uids)
    for uids in threads.follower_chunks(post=event.post_id):
        if max_followers is not None and len(uids) > max_followers:
            return False
        follower_uids = {uid for uid in uids if uid not in handled_uids}
        _notify_about_comment("thread", event, _uids_with_access(event, follower_uids))
    return True


def _uids_with_access(event: CommentEvent, uids: set[int]) -> set[int]:
    """Return which of these users may read the post and the comment.

    Runs two commands, or none for the author of the post alone, and another for a comment for followers.
    """
    others = uids - {event.post_author}
    post = post_row(post_id=event.post_id) if others else None
    uids_with_access_now = uids_with_access(post=post, uids=others) if post else set()
    return uids_with_access_to_comment(
        author=event.author,
        visibility=event.visibility,
        recipients=event.recipients,
        uids=uids_with_access_now | (uids & {event.post_author}),
    )


def _notify_about_comment(kind: str, event: CommentEvent, recipients: Collection[int]) -> None:
    notify(
        kind=kind,
        actor=event.author,
        recipients=recipients,
        post=event.post_id,
        comment=event.comment_id,
    )


def notify_with_access(*, post: PostRow, kind: str, uids: Collection[int]) -> None:
    """Notify those of these users who may read the post, except its author."""
    other_uids = [uid for uid in uids if uid != post.author]
    if other_uids:
        recipients = list(uids_with_access(post=post, uids=other_uids))
        notify(kind=kind, actor=post.author, recipients=recipients, post=post.id)


def notify_about_edit(*, post_id: int) -> None:
    """Notify the authors of quotes about their quoting posts, and users who shared the post about the post.

    Users who may no longer read the post are not notified.
    """
    post = post_row(post_id=post_id)
    if post is None:
        return
    for quotes in _batches(quotes_after, post_id):
        readers = uids_with_access(post=post, uids={author for _, author in quotes})
        for quoting_id, author in quotes:
            if author in readers:
                notify(kind="quoted_edit", actor=post.author, recipients=[author], post=quoting_id)
    for shares in _batches(shares_after, post_id):
        readers = uids_with_access(post=post, uids={author for _, author in shares})
        notify(kind="shared_edit", actor=post.author, recipients=readers, post=post.id)


def _batches(read: Any, post_id: int) -> Iterator[list[tuple[int, int]]]:
    cursor = 0
    while batch := read(post=post_id, cursor=cursor, limit=BATCH_SIZE):
        yield batch
        cursor = batch[-1][0]


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
