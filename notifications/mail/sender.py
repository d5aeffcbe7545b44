"""Sends the mails that are due, one reader after the other. May be stopped anywhere, and run side by side.

What is sent was claimed before, and is noted afterwards (``store.mails``): a worker that dies in between
leaves a mail that is sent once more, under the same id.
"""

import logging
import time
from datetime import datetime, timedelta

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from accounts.infra.ids import time_of
from accounts.selectors.email_addresses import confirmed_email
from notifications.kinds import find_kind
from notifications.store import mail_queue
from notifications.store.mail_queue import MailClaim
from notifications.store.preferences import NEVER, WHEN_AWAY
from notifications.store.rows import NotificationRow

from . import schedule
from .message import compose_mail

logger = logging.getLogger(__name__)

MAX_RUN_SECONDS = 50.0
LEASE = timedelta(minutes=10)
"""Longer than one mail takes, with all time-outs: then somebody else may try."""

FIRST_RETRY_DELAY = timedelta(minutes=5)
MAX_ATTEMPTS = 8
"""With pauses that double, some ten hours. Then this mail is given up; the next one is tried again."""


def send_due_mails() -> None:
    """All, or as many as one run has time for."""
    end = time.monotonic() + MAX_RUN_SECONDS
    connection = get_connection()
    try:
        for reader, due in mail_queue.due_mails(at=timezone.now()):
            if time.monotonic() >= end or not _is_open(connection):
                return
            try:
                _serve(reader, due, connection)
            except Exception:
                # The claim ends by itself; the others are served.
                logger.exception("The mail to person %s could not be looked at", reader)
    finally:
        _close(connection)


def _serve(reader: int, due: datetime, connection: BaseEmailBackend) -> None:
    now = timezone.now()
    claim = mail_queue.claim_mail(recipient=reader, due_at=due, until=now + LEASE)
    if claim is None:
        return
    try:
        _mail(claim, connection, now)
    except Exception:
        logger.exception("Person %s could not be mailed, time %s", reader, claim.attempts + 1)
        _close(connection)
        _try_later(claim, now)


def _mail(claim: MailClaim, connection: BaseEmailBackend, now: datetime) -> None:
    items = _news(claim)
    if items:
        moment = schedule.mail_time(
            choice=claim.preferences,
            first_at=time_of(id=items[-1].id),
            mailed_at=claim.mailed_at,
            now=now,
        )
        if moment > now:
            mail_queue.postpone_mail(claim=claim, until=moment)
            return
    address = confirmed_email(uid=claim.recipient) if items else None
    mail = compose_mail(claim=claim, rows=items, address=address) if address else None
    if mail is not None:
        if not mail_queue.start_sending(claim=claim):
            return
        mail.connection = connection
        mail.send()
    _finish(claim, now, is_mailed=mail is not None)


def _news(claim: MailClaim) -> list[NotificationRow]:
    """What there is to mail, the newest first."""
    if claim.preferences.mode == NEVER:
        return []
    seen_at = claim.seen_at if claim.preferences.mode == WHEN_AWAY else None
    return [
        item
        for item in claim.rows
        if (kind := find_kind(item.kind)) is not None
        and claim.preferences.wants(kind=kind)
        and (seen_at is None or time_of(id=item.id) > seen_at)
    ]


def _try_later(claim: MailClaim, now: datetime) -> None:
    if claim.attempts + 1 >= MAX_ATTEMPTS:
        logger.error("The mail to person %s is given up", claim.recipient)
        _finish(claim, now, is_given_up=True)
    else:
        mail_queue.retry_later(claim=claim, retry_at=now + FIRST_RETRY_DELAY * 2**claim.attempts)


def _finish(
    claim: MailClaim, now: datetime, *, is_mailed: bool = False, is_given_up: bool = False
) -> None:
    mail_queue.finish_mail(
        claim=claim,
        now=now,
        is_sent=is_mailed,
        is_given_up=is_given_up,
        next_digest=schedule.next_digest(choice=claim.preferences, after=now),
    )


def _is_open(connection: BaseEmailBackend) -> bool:
    try:
        connection.open()
    except Exception:
        # Nobody's mail is at fault: all wait for the next run.
        logger.warning("The mail server cannot be reached", exc_info=True)
        return False
    return True


def _close(connection: BaseEmailBackend) -> None:
    try:
        connection.close()
    except Exception:
        logger.warning("The connection to the mail server did not end well", exc_info=True)
