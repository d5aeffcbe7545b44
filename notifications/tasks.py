"""Work for workers, which the clock asks for; it may be done twice, and stop anywhere."""

from celery import shared_task

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
def tidy() -> None:
    """Drop what is too old, and bring what boxes have no room for into the history."""
    while services.expire():
        """Some boxes at a time."""
    while services.seal():
        """Likewise."""
