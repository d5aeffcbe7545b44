"""Signal receivers that send or withdraw notifications about events among users and in the feed."""

from collections.abc import Collection
from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.http import HttpRequest

from accounts import signals as accounts
from accounts.infra.cursors import PageBounds
from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.selectors.follow_graph import has_follow_request
from accounts.selectors.profiles import chosen_time_zone
from accounts.selectors.user_pages import followers_page
from feed import signals as feed
from feed.selectors.post_pages import profile_page
from feed.selectors.stored_content import (
    comment_row,
    post_row,
    post_row_with_subscribers,
    uids_with_access,
)
from feed.task_queue import enqueue

from . import signals, store, tasks
from .push import keys
from .services import notifiers, preferences, subscribers
from .services.delivery import notify
from .store import boxes, devices, history, subscriber_deliveries, threads, unread_messages
from .store.rows import notification_key

MAX_THREAD_FOLLOWERS_INLINE = 50
"""Maximum number of thread followers to notify in the request. Larger threads are left to a worker."""

MAX_SEEDED_POSTS = 10
"""Number of a user's newest posts whose newest likes and comments are examined after seeding."""


@receiver(accounts.time_zone_changed)
def use_time_zone_for_mails(uid: int, **_: Any) -> None:
    # Without a setting, mails keep their time zone, because a worker does not know the browser.
    if time_zone := chosen_time_zone(uid=uid):
        preferences.change_mail_preferences(recipient=uid, time_zone=time_zone)


# --- Notify ---------------------------------------------------------------------------------------
@receiver(feed.post_published)
def notify_about_post(post: int, author: int, **_: Any) -> None:
    row, has_subscribers = post_row_with_subscribers(post_id=post, author=author)
    if row is None:
        return
    if has_subscribers and subscribers.is_announced(post=row):
        subscribers.plan_delivery(post_id=post)
        # If the queue is unreachable, ``tasks.resume_subscriber_deliveries`` enqueues the task again.
        enqueue(tasks.notify_subscribers, post_id=post)
    notifiers.notify_about_post(post=row)


@receiver(feed.post_edited)
def notify_about_edit(post: int, mentioned: list[int], **_: Any) -> None:
    row = post_row(post_id=post)
    if row is None:
        return
    notifiers.deliver_post(post=row, recipients=mentioned)
    notifiers.notify_with_access(post=row, kind="mention", uids=mentioned)
    if row.quotes or row.shares:
        # If the queue is unreachable, the edit stays, but nobody is notified of it.
        enqueue(tasks.notify_about_edit, post_id=post)


@receiver(feed.comment_published)
def notify_about_comment(
    comment: int,
    post: int,
    author: int,
    post_author: int,
    parent: int,
    parent_author: int,
    text: str,
    is_direct: bool = False,
    visibility: str = "",
    recipients: Collection[int] = (),
    **_: Any,
) -> None:
    if is_direct:
        notifiers.deliver_comment(comment_id=comment, post_id=post, author=author)
    event = notifiers.CommentEvent(
        comment, post, author, post_author, parent_author, text, visibility, recipients
    )
    if not notifiers.notify_about_comment(event=event, max_followers=MAX_THREAD_FOLLOWERS_INLINE):
        # If the queue is unreachable, the comment stays published, but its thread followers get no
        # notification.
        enqueue(tasks.notify_about_comment, comment_id=comment, post_id=post, parent_id=parent)


@receiver(feed.comment_edited)
def notify_newly_mentioned_in_comment(
    comment: int, post: int, mentioned: list[int], **_: Any
) -> None:
    """Notify users whom an edit added as mentions, unless the comment already notified them."""
    row = post_row(post_id=post) if mentioned else None
    edited = comment_row(post_id=post, comment_id=comment) if mentioned else None
    if row is None or edited is None:
        return
    notified_uids = set[int]()
    if not edited.visibility:  # a limited comment notified only its recipients
        notified_uids.add(row.author)
        if parent := comment_row(post_id=post, comment_id=edited.parent_id):
            notified_uids.add(parent.uid)
    recipients = list(uids_with_access(post=row, uids=mentioned) - notified_uids)
    notify(kind="mention", actor=edited.uid, recipients=recipients, post=post, comment=comment)


@receiver(feed.post_liked)
def notify_about_like(post: int, liker: int, post_author: int, **_: Any) -> None:
    notify(kind="like", actor=liker, recipients=[post_author], post=post)


@receiver(feed.comment_liked)
def notify_about_comment_like(comment: int, post: int, liker: int, **_: Any) -> None:
    row, liked = post_row(post_id=post), comment_row(post_id=post, comment_id=comment)
    if row is None or liked is None:
        return
    # The author of the comment may have lost access to the post.
    recipients = list(uids_with_access(post=row, uids=[liked.uid]))
    notify(kind="like", actor=liker, recipients=recipients, post=post, comment=comment)


@receiver(feed.post_shared)
def notify_about_share(post: int, sharer: int, post_author: int, **_: Any) -> None:
    notify(kind="share", actor=sharer, recipients=[post_author], post=post)


@receiver(feed.poll_ended)
def notify_about_poll(post: int, voters: list[int], **_: Any) -> None:
    """Notify the voters that a poll has ended, or the author if there are no ``voters``."""
    row = post_row(post_id=post)
    if row is None:
        return
    if voters:
        notifiers.notify_with_access(post=row, kind="poll", uids=voters)
    else:
        # Nobody is notified about own actions, so this notification comes from the site.
        notify(kind="poll", actor=0, recipients=[row.author], post=post)


@receiver(feed.scheduled_post_refused)
def notify_about_refused_post(draft: int, author: int, **_: Any) -> None:
    # As with polls, this notification comes from the site.
    notify(kind="refused_post", actor=0, recipients=[author], target_id=draft)


@receiver(accounts.followed)
def notify_about_follow(follower: int, followee: int, is_restored: bool, **_: Any) -> None:
    withdraw_follow_request(follower=follower, followee=followee)
    if not is_restored:  # unblocking restored the follow: do not notify
        notify(kind="follow", actor=follower, recipients=[followee])


@receiver(accounts.follow_requested)
def notify_about_follow_request(follower: int, followee: int, **_: Any) -> None:
    # The user may have accepted, declined or withdrawn the request meanwhile.
    if has_follow_request(follower=follower, followee=followee):
        notify(kind="request", actor=follower, recipients=[followee])


@receiver(accounts.follow_request_accepted)
def notify_about_accepted_request(follower: int, followee: int, **_: Any) -> None:
    notify(kind="accepted", actor=followee, recipients=[follower])


@receiver(feed.site_seeded)
def notify_about_seeded_content(people: list[int], **_: Any) -> None:
    """Notify users of generated follows, likes and comments, which sent no signals. Safe to repeat."""
    for uid in people:
        newest_followers = followers_page(uid=uid, viewer=uid).rows[:3]
        for follower in reversed(newest_followers):
            notify(kind="follow", actor=follower.card.uid, recipients=[uid])
        page = profile_page(author=uid, viewer=uid, bounds=PageBounds(limit=MAX_SEEDED_POSTS))
        for post in reversed([post for post in page.posts if post.shared_by is None]):
            for card in reversed(post.newest_likers):
                notify(kind="like", actor=card.uid, recipients=[uid], post=post.id)
            for comment in post.newest_comments:
                notify(
                    kind="comment",
                    actor=comment.by.uid,
                    recipients=[uid],
                    post=post.id,
                    comment=comment.id,
                )


# --- Conversations --------------------------------------------------------------------------------
@receiver(feed.conversation_read)
def mark_conversation_read(post: int, reader: int, newest: int, **_: Any) -> None:
    unread_messages.mark_read(recipient=reader, post_id=post, newest_id=newest)


@receiver(feed.conversation_marked_unread)
def mark_conversation_unread(post: int, reader: int, message: int, **_: Any) -> None:
    comment_id = 0 if message == post else message
    # The author 0 keeps the mark if the reader later mutes or blocks a participant.
    unread_messages.mark_unread(
        recipient=reader, message=unread_messages.Message(post, comment_id, actor=0, author=0)
    )


@receiver(feed.post_hidden)
def remove_hidden_conversation(post: int, **_: Any) -> None:
    unread_messages.remove_message(post_id=post)


@receiver(feed.comment_hidden)
def remove_hidden_message(comment: int, post: int, **_: Any) -> None:
    unread_messages.remove_message(post_id=post, comment_id=comment)


# --- Withdraw notifications whose cause no longer exists, so that they no longer count as unread ---
@receiver(feed.post_deleted)
def withdraw_post(post: int, **_: Any) -> None:
    subscriber_deliveries.delete_delivery(post=post)
    boxes.withdraw_post(post_id=post)
    history.withdraw_post(post_id=post)
    threads.delete_thread_followers(post=post)


@receiver(feed.comment_deleted)
def withdraw_comment(comment: int, post: int, **_: Any) -> None:
    boxes.withdraw_post(post_id=post, comment_id=comment)
    history.withdraw_post(post_id=post, comment_id=comment)


@receiver(feed.quote_revoked)
def withdraw_quote(post: int, quoted_author: int, **_: Any) -> None:
    """Remove the notification about the quote in a post from its recipient, who revoked the quote."""
    row = post_row(post_id=post)
    if row is not None:
        key = notification_key(kind="quote", actor=row.author, post_id=post)
        boxes.withdraw(recipient=quoted_author, key=key)


@receiver(feed.post_unliked)
def withdraw_like(post: int, liker: int, **_: Any) -> None:
    _withdraw_from_author("like", post, liker)


@receiver(feed.post_unshared)
def withdraw_share(post: int, sharer: int, **_: Any) -> None:
    _withdraw_from_author("share", post, sharer)


def _withdraw_from_author(kind: str, post: int, actor: int) -> None:
    row = post_row(post_id=post)
    if row is not None:
        key = notification_key(kind=kind, actor=actor, post_id=post)
        boxes.withdraw(recipient=row.author, key=key)


@receiver(feed.comment_unliked)
def withdraw_comment_like(comment: int, post: int, liker: int, **_: Any) -> None:
    row = comment_row(post_id=post, comment_id=comment)
    if row is not None:
        key = notification_key(kind="like", actor=liker, post_id=post, comment_id=comment)
        boxes.withdraw(recipient=row.uid, key=key)


@receiver(accounts.unfollowed)
def withdraw_follow(follower: int, followee: int, **_: Any) -> None:
    boxes.withdraw(recipient=followee, key=notification_key(kind="follow", actor=follower))
    boxes.withdraw(recipient=follower, key=notification_key(kind="accepted", actor=followee))


@receiver(accounts.follow_request_ended)
def withdraw_follow_request(follower: int, followee: int, **_: Any) -> None:
    boxes.withdraw(recipient=followee, key=notification_key(kind="request", actor=follower))


@receiver(accounts.blocked)
def withdraw_between(owner: int, other: int, **_: Any) -> None:
    """Remove each user's notifications about the other user."""
    for recipient, actor in ((owner, other), (other, owner)):
        boxes.withdraw_actor(recipient=recipient, actor=actor)
        history.withdraw_actor(recipient=recipient, actor=actor)


@receiver(accounts.notifications_muted)
def mark_muted_user_read(owner: int, other: int, **_: Any) -> None:
    """Mark notifications about a muted user, and messages by that user, as read.

    Pages hide them while the mute lasts, so they must not count as unread.
    """
    boxes.mark_actor_read(recipient=owner, actor=other)
    unread_messages.remove_sender(recipient=owner, sender=other)


@receiver(accounts.user_erasure_started)
def erase_user(uid: int, **_: Any) -> None:
    """Delete a user's box, devices and followed threads, and all notifications about the user's actions."""
    for module in (boxes, history, threads):
        module.erase_user(uid=uid)
    devices.delete_all_devices(owner=uid)


# --- Devices --------------------------------------------------------------------------------------
@receiver(signals.notifications_delivered)
def enqueue_push(row_id: int, recipients: list[int], **_: Any) -> None:
    owners = devices.device_owners(uids=recipients) if keys.is_push_enabled() else []
    if len(owners) == 1:
        enqueue(tasks.push, row_id=row_id, recipient=owners[0])
    elif owners:
        enqueue(tasks.push_to_recipients, row_id=row_id, recipients=owners)


@receiver(user_logged_out)
def remove_session_device(request: HttpRequest, user: User | None, **_: Any) -> None:
    device = request.session.get(devices.SESSION_KEY)
    if user is not None and device is not None:
        devices.delete_devices(owner=user.pk, device_ids=[device])


@receiver(post_delete, sender=AccessToken)
def remove_token_device(instance: AccessToken, **_: Any) -> None:
    devices.delete_token_device(token=instance.pk)


def create_indexes(**_: Any) -> None:
    """Create the indexes of the stores after every migration."""
    store.create_indexes()
