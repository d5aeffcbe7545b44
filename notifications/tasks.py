"""Celery tasks. Each task is safe to run twice and to interrupt."""

from collections.abc import Sequence
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from accounts.infra.ids import first_id_at
from feed.task_queue import enqueue
from notifications.mail.sender import send_due_mails
from notifications.store import boxes, history, subscriber_deliveries

from .services import notifiers, subscribers

MAX_AGE = timedelta(days=90)
"""Rows that are not durable are deleted at this age, read or not."""

CLEANUP_BATCH_SIZE = 500
MAX_RESUMED = 100


@shared_task
def notify_about_comment(*, comment_id: int, post_id: int, parent_id: int) -> None:
    """Notify about a comment, including many thread followers.

    Users who already have the notification do not get a second notification.
    """
    event = notifiers.comment_event(comment_id=comment_id, post_id=post_id, parent_id=parent_id)
    if event is not None:
        notifiers.notify_about_comment(event=event)


@shared_task
def notify_about_edit(*, post_id: int) -> None:
    """Notify users who quoted or shared a post that it was edited. Nobody gets a second notification."""
    notifiers.notify_about_edit(post_id=post_id)


@shared_task
def notify_subscribers(*, post_id: int) -> None:
    """Notify the subscribers of an author of a post, beginning where an earlier run stopped."""
    subscribers.notify_subscribers(post_id=post_id)


@shared_task
def resume_subscriber_deliveries() -> None:
    """Enqueue the deliveries to subscribers that stalled."""
    for post_id in subscriber_deliveries.due_posts(now=timezone.now(), limit=MAX_RESUMED):
        enqueue(notify_subscribers, post_id=post_id)


@shared_task
def send_mails() -> None:
    """Send due mails for less than a minute. The next run continues with the remaining mails."""
    send_due_mails()


@shared_task
def push_to_recipients(*, row_id: int, recipients: list[int]) -> None:
    """Enqueue one push per recipient, so that a slow push service delays only one recipient."""
    for recipient in recipients:
        enqueue(push, row_id=row_id, recipient=recipient)


@shared_task
def push(*, row_id: int, recipient: int, attempt: int = 0, device_ids: Sequence[str] = ()) -> None:
    """Push a notification to its recipient's devices. Retry failures a limited number of times."""
    # Import here, because the libraries take 30 MB of memory, and web processes do not need them.
    from .push import delivery

    retry = delivery.push_notification(
        row_id=row_id, recipient=recipient, attempt=attempt, device_ids=device_ids
    )
    if retry is not None:
        retry_options = {"attempt": retry.attempt, "device_ids": list(retry.device_ids)}
        enqueue(
            push, delay_seconds=retry.seconds, row_id=row_id, recipient=recipient, **retry_options
        )


@shared_task
def clean_up() -> None:
    """Delete expired notifications, and move the overflow of boxes to the history."""
    below = first_id_at(moment=timezone.now() - MAX_AGE)
    while boxes.expire(below=below, limit=CLEANUP_BATCH_SIZE):
        pass
    while recipients := boxes.sealable_boxes(limit=CLEANUP_BATCH_SIZE):
        history.seal_overflow(recipients=recipients)
