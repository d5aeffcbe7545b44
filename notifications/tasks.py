"""Work for workers, which the clock asks for; it may be done twice, and stop anywhere."""

from collections.abc import Sequence

from celery import shared_task

from feed.tasks import enqueue

from . import mailing, services
from .services import events


@shared_task
def tell_of_comment(*, comment_id: int, post_id: int, parent: int) -> None:
    """Also of the many who follow what is said to a post. Who has been told is not told again."""
    events.comment_published(comment_id=comment_id, post_id=post_id, parent=parent)


@shared_task
def send_mails() -> None:
    """Send the mails that are due, for some seconds; the next such task goes on."""
    mailing.send_due()


@shared_task
def push_to_many(*, item: int, readers: list[int]) -> None:
    """Each by themselves: a push service that hangs holds up nobody else."""
    for reader in readers:
        enqueue(push, item=item, reader=reader)


@shared_task
def push(*, item: int, reader: int, attempt: int = 0, devices: Sequence[str] = ()) -> None:
    """Show an item on its reader's devices. What cannot be sent now is tried again some times."""
    # It brings libraries of 30 MB, which web processes do without.
    from .pushing import delivering

    again = delivering.push(item=item, reader=reader, attempt=attempt, devices=devices)
    if again is not None:
        more = {"attempt": again.attempt, "devices": list(again.devices)}
        enqueue(push, after=again.seconds, item=item, reader=reader, **more)


@shared_task
def tidy() -> None:
    """Drop what is too old, and bring what boxes have no room for into the history."""
    while services.expire():
        """Some boxes at a time."""
    while services.seal():
        """Likewise."""
