"""Signal receivers that send or withdraw notifications about events among users and in the feed."""

from collections.abc import Collection
from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.http import HttpRequest

from accounts import signals as accounts
from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.selectors.profiles import chosen_time_zone
from feed import signals as feed
from feed.selectors.stored_content import post_row, post_row_with_subscribers
from feed.task_queue import enqueue
from notifications.services.devices import DEVICE_SESSION_KEY, remove_app_device, remove_device
from notifications.store.devices import device_owners

from . import signals, store, tasks
from .push import keys
from .services import edits, messages, notifiers, preferences, subscribers, withdrawals
from .services.past_events import catch_up
from .store import unread_messages

MAX_THREAD_FOLLOWERS_INLINE = 50
"""Maximum number of thread followers to notify in the request. Larger threads are left to a worker."""


@receiver(accounts.time_zone_changed)
def use_time_zone_for_mails(uid: int, **_: Any) -> None:
    # Without a setting, mails keep their time zone, because a worker does not know the browser.
    if time_zone := chosen_time_zone(uid=uid):
        preferences.set_mail_time_zone(recipient=uid, time_zone=time_zone)


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
    notifiers.notify_newly_mentioned(post=row, mentioned_uids=mentioned)
    if edits.has_recipients(post=row):
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
        messages.deliver_comment(comment_id=comment, post_id=post, author=author)
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
    notifiers.notify_newly_mentioned_in_comment(
        comment_id=comment, post_id=post, mentioned_uids=mentioned
    )


@receiver(feed.conversation_read)
def mark_conversation_read(post: int, reader: int, newest: int, **_: Any) -> None:
    messages.mark_read(post_id=post, reader=reader, newest_id=newest)


@receiver(feed.conversation_marked_unread)
def mark_conversation_unread(post: int, reader: int, message: int, **_: Any) -> None:
    messages.mark_unread(post_id=post, reader=reader, message_id=message)


@receiver(feed.post_hidden)
def remove_hidden_conversation(post: int, **_: Any) -> None:
    unread_messages.remove_message(post_id=post)


@receiver(feed.comment_hidden)
def remove_hidden_message(comment: int, post: int, **_: Any) -> None:
    unread_messages.remove_message(post_id=post, comment_id=comment)


@receiver(feed.post_liked)
def notify_about_like(post: int, liker: int, post_author: int, **_: Any) -> None:
    notifiers.notify_about_like(post_id=post, liker=liker, post_author=post_author)


@receiver(feed.comment_liked)
def notify_about_comment_like(comment: int, post: int, liker: int, **_: Any) -> None:
    notifiers.notify_about_comment_like(comment_id=comment, post_id=post, liker=liker)


@receiver(feed.post_shared)
def notify_about_share(post: int, sharer: int, post_author: int, **_: Any) -> None:
    notifiers.notify_about_share(post_id=post, sharer=sharer, post_author=post_author)


@receiver(feed.quote_revoked)
def withdraw_quote(post: int, quoted_author: int, **_: Any) -> None:
    withdrawals.withdraw_quote(post_id=post, quoted_author=quoted_author)


@receiver(feed.poll_ended)
def notify_about_poll(post: int, voters: list[int], **_: Any) -> None:
    notifiers.notify_about_poll(post_id=post, voters=voters)


@receiver(feed.scheduled_post_refused)
def notify_about_refused_post(draft: int, author: int, **_: Any) -> None:
    notifiers.notify_about_refused_post(draft_id=draft, author=author)


@receiver(accounts.followed)
def notify_about_follow(follower: int, followee: int, is_restored: bool, **_: Any) -> None:
    withdrawals.withdraw_follow_request(follower=follower, followee=followee)
    if not is_restored:  # unblocking restored the follow: do not notify
        notifiers.notify_about_follow(follower=follower, followee=followee)


@receiver(accounts.follow_requested)
def notify_about_follow_request(follower: int, followee: int, **_: Any) -> None:
    notifiers.notify_about_follow_request(follower=follower, followee=followee)


@receiver(accounts.follow_request_accepted)
def notify_about_accepted_request(follower: int, followee: int, **_: Any) -> None:
    notifiers.notify_about_accepted_request(follower=follower, followee=followee)


@receiver(feed.post_deleted)
def withdraw_post(post: int, **_: Any) -> None:
    withdrawals.withdraw_post(post_id=post)


@receiver(feed.comment_deleted)
def withdraw_comment(comment: int, post: int, **_: Any) -> None:
    withdrawals.withdraw_comment(comment_id=comment, post_id=post)


@receiver(feed.post_unliked)
def withdraw_like(post: int, liker: int, **_: Any) -> None:
    withdrawals.withdraw_like(post_id=post, liker=liker)


@receiver(feed.comment_unliked)
def withdraw_comment_like(comment: int, post: int, liker: int, **_: Any) -> None:
    withdrawals.withdraw_comment_like(comment_id=comment, post_id=post, liker=liker)


@receiver(feed.post_unshared)
def withdraw_share(post: int, sharer: int, **_: Any) -> None:
    withdrawals.withdraw_share(post_id=post, sharer=sharer)


@receiver(accounts.unfollowed)
def withdraw_follow(follower: int, followee: int, **_: Any) -> None:
    withdrawals.withdraw_follow(follower=follower, followee=followee)


@receiver(accounts.follow_request_ended)
def withdraw_follow_request(follower: int, followee: int, **_: Any) -> None:
    withdrawals.withdraw_follow_request(follower=follower, followee=followee)


@receiver(accounts.blocked)
def withdraw_between(owner: int, other: int, **_: Any) -> None:
    withdrawals.withdraw_between(blocker=owner, blocked_uid=other)


@receiver(accounts.user_erasure_started)
def erase_user(uid: int, **_: Any) -> None:
    withdrawals.erase_user(uid=uid)


@receiver(accounts.notifications_muted)
def mark_muted_user_read(owner: int, other: int, **_: Any) -> None:
    withdrawals.mark_muted_user_read(muter=owner, muted_uid=other)


@receiver(signals.notifications_delivered)
def enqueue_push(row_id: int, recipients: list[int], **_: Any) -> None:
    owners = device_owners(uids=recipients) if keys.is_push_enabled() else []
    if len(owners) == 1:
        enqueue(tasks.push, row_id=row_id, recipient=owners[0])
    elif owners:
        enqueue(tasks.push_to_recipients, row_id=row_id, recipients=owners)


@receiver(user_logged_out)
def remove_session_device(request: HttpRequest, user: User | None, **_: Any) -> None:
    device = request.session.get(DEVICE_SESSION_KEY)
    if user is not None and device is not None:
        remove_device(owner=user.pk, device_id=device)


@receiver(post_delete, sender=AccessToken)
def remove_token_device(instance: AccessToken, **_: Any) -> None:
    remove_app_device(token_id=instance.pk)


@receiver(feed.site_seeded)
def notify_about_seeded_content(people: list[int], **_: Any) -> None:
    for recipient in people:
        catch_up(recipient=recipient)


def create_indexes(**_: Any) -> None:
    """Create the indexes of the stores after every migration."""
    store.create_indexes()
