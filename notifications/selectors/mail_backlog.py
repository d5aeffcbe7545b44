"""The number of waiting mails, for administrators."""

from django.utils import timezone

from notifications.store import mail_queue

MAX_COUNTED = 10_000


def waiting_mail_count() -> int:
    """Return the number of mails that are due and not sent yet, at most ``MAX_COUNTED``. One command."""
    return mail_queue.due_count(at=timezone.now(), limit=MAX_COUNTED)
