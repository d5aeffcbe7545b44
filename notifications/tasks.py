"""Work for workers, which the clock asks for; it may be done twice, and stop anywhere."""

from celery import shared_task

from . import mailing


@shared_task
def send_mails() -> None:
    """Send the mails that are due, for some seconds; the next such task goes on."""
    mailing.send_due()
