"""Work for workers, which the clock asks for; it may be done twice, and stop anywhere."""

from collections.abc import Sequence

from celery import shared_task

from feed.tasks import enqueue
from notifications.mail.sender import send_due_mails
from notifications.services.cleanup import expire_rows, seal_overflow

from .services import notifiers


@shared_task
def tell_of_comment(*, comment_id: int, post_id: int, parent: int) -> None:
    """Also of the many who follow what is said to a post. Who has been told is not told again."""
    notifiers.notify_about_comment(comment_id=comment_id, post_id=post_id, parent_id=parent)


@shared_task
def send_mails() -> None:
    """Send the mails that are due, for some seconds; the next such task goes on."""
    send_due_mails()


@shared_task
def push_to_many(*, row_id: int, recipients: list[int]) -> None:
    """Each by themselves: a push service that hangs holds up nobody else."""
    for reader in recipients:
        enqueue(push, item=row_id, reader=reader)


@shared_task
def push(*, row_id: int, recipient: int, attempt: int = 0, device_ids: Sequence[str] = ()) -> None:
    """Show an item on its reader's devices. What cannot be sent now is tried again some times."""
    # It brings libraries of 30 MB, which web processes do without.
    from .push import delivery

    again = delivery.push_notification(
        row_id=row_id, recipient=recipient, attempt=attempt, device_ids=device_ids
    )
    if again is not None:
        more = {"attempt": again.attempt, "devices": list(again.device_ids)}
        enqueue(push, delay_seconds=again.seconds, item=row_id, reader=recipient, **more)


@shared_task
def tidy() -> None:
    """Drop what is too old, and bring what boxes have no room for into the history."""
    while expire_rows():
        """Some boxes at a time."""
    while seal_overflow():
        """Likewise."""
