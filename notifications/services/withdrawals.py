"""Remove notifications whose cause no longer exists, so that they no longer count as unread."""

from feed.selectors.stored_content import comment_row, post_row
from notifications.store import (
    boxes,
    devices,
    history,
    subscriber_deliveries,
    threads,
    unread_messages,
)
from notifications.store.rows import notification_key


def withdraw_post(*, post_id: int) -> None:
    subscriber_deliveries.delete_delivery(post=post_id)
    boxes.withdraw_post(post_id=post_id)
    history.withdraw_post(post_id=post_id)
    threads.delete_thread_followers(post=post_id)


def withdraw_comment(*, comment_id: int, post_id: int) -> None:
    boxes.withdraw_post(post_id=post_id, comment_id=comment_id)
    history.withdraw_post(post_id=post_id, comment_id=comment_id)


def withdraw_like(*, post_id: int, liker: int) -> None:
    _withdraw_from_author("like", post_id, liker)


def withdraw_share(*, post_id: int, sharer: int) -> None:
    _withdraw_from_author("share", post_id, sharer)


def withdraw_quote(*, post_id: int, quoted_author: int) -> None:
    """Remove the notification about the quote in a post from its recipient, who revoked the quote."""
    post = post_row(post_id=post_id)
    if post is not None:
        key = notification_key(kind="quote", actor=post.author, post_id=post_id)
        boxes.withdraw(recipient=quoted_author, key=key)


def withdraw_comment_like(*, comment_id: int, post_id: int, liker: int) -> None:
    comment = comment_row(post_id=post_id, comment_id=comment_id)
    if comment is not None:
        key = notification_key(kind="like", actor=liker, post_id=post_id, comment_id=comment_id)
        boxes.withdraw(recipient=comment.uid, key=key)


def erase_user(*, uid: int) -> None:
    """Delete a user's box, devices and followed threads, and all notifications about the user's actions."""
    for store in (boxes, history, threads):
        store.erase_user(uid=uid)
    devices.delete_all_devices(owner=uid)


def withdraw_follow(*, follower: int, followee: int) -> None:
    boxes.withdraw(recipient=followee, key=notification_key(kind="follow", actor=follower))
    boxes.withdraw(recipient=follower, key=notification_key(kind="accepted", actor=followee))


def withdraw_follow_request(*, follower: int, followee: int) -> None:
    boxes.withdraw(recipient=followee, key=notification_key(kind="request", actor=follower))


def withdraw_between(*, blocker: int, blocked_uid: int) -> None:
    """Remove each user's notifications about the other user."""
    for recipient, actor in ((blocker, blocked_uid), (blocked_uid, blocker)):
        boxes.withdraw_actor(recipient=recipient, actor=actor)
        history.withdraw_actor(recipient=recipient, actor=actor)


def mark_muted_user_read(*, muter: int, muted_uid: int) -> None:
    """Mark notifications about a muted user, and messages by that user, as read.

    Pages hide them while the mute lasts, so they must not count as unread.
    """
    boxes.mark_actor_read(recipient=muter, actor=muted_uid)
    unread_messages.remove_sender(recipient=muter, sender=muted_uid)


def _withdraw_from_author(kind: str, post_id: int, actor: int) -> None:
    post = post_row(post_id=post_id)
    if post is not None:
        boxes.withdraw(
            recipient=post.author, key=notification_key(kind=kind, actor=actor, post_id=post_id)
        )
