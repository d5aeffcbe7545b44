"""Sender of due mails, one recipient at a time. Safe to interrupt and to run in parallel.

A worker claims a mail, sends the mail, and then records that the mail was sent (``store.mail_queue``). If
the worker dies before the last step, another worker sends the mail again with the same Message-ID.
"""

import logging
import time
from datetime import datetime, timedelta

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from accounts.infra import metrics
from accounts.infra.ids import time_of
from accounts.selectors.account_data import confirmed_email
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
"""How long a claim lasts: longer than sending one mail takes, including all timeouts."""

FIRST_RETRY_DELAY = timedelta(minutes=5)
MAX_ATTEMPTS = 8
"""Attempts to send a mail, with doubling delays, over about ten hours. The last failure drops the mail."""


def send_due_mails() -> None:
    """Send due mails until none is left or ``MAX_RUN_SECONDS`` have passed."""
    end = time.monotonic() + MAX_RUN_SECONDS
    connection = get_connection()
    try:
        for recipient, due_at in mail_queue.due_mails(at=timezone.now()):
            if time.monotonic() >= end or not _is_open(connection):
                return
            try:
                _claim_and_send(recipient, due_at, connection)
            except Exception:
                # This mail is due again when the claim expires. Continue with the other mails.
                logger.exception("Checking the mail to user %s failed", recipient)
    finally:
        _close(connection)


def _claim_and_send(recipient: int, due_at: datetime, connection: BaseEmailBackend) -> None:
    now = timezone.now()
    claim = mail_queue.claim_mail(recipient=recipient, due_at=due_at, until=now + LEASE)
    if claim is None:
        return
    try:
        _send_or_postpone(claim, connection, now)
    except Exception:
        logger.exception(
            "Sending the mail to user %s failed, attempt %s", recipient, claim.attempts + 1
        )
        _close(connection)
        _retry_or_give_up(claim, now)


def _send_or_postpone(claim: MailClaim, connection: BaseEmailBackend, now: datetime) -> None:
    rows = _rows_to_mail(claim)
    if rows:
        moment = schedule.mail_time(
            choice=claim.preferences,
            first_at=time_of(id=rows[-1].id),
            mailed_at=claim.mailed_at,
            now=now,
        )
        if moment > now:
            mail_queue.postpone_mail(claim=claim, until=moment)
            return
    address = confirmed_email(uid=claim.recipient) if rows else None
    mail = compose_mail(claim=claim, rows=rows, address=address) if address else None
    if mail is not None:
        if not mail_queue.start_sending(claim=claim):
            return
        mail.connection = connection
        mail.send()
        metrics.MAILS.labels("sent").inc()
    _finish(claim, now, is_mailed=mail is not None)


def _rows_to_mail(claim: MailClaim) -> list[NotificationRow]:
    """Return the rows to mail, newest first."""
    if claim.preferences.mode == NEVER:
        return []
    seen_at = claim.seen_at if claim.preferences.mode == WHEN_AWAY else None
    return [
        row
        for row in claim.rows
        if (kind := find_kind(row.kind)) is not None
        and claim.preferences.wants(kind=kind)
        and (seen_at is None or time_of(id=row.id) > seen_at)
    ]


def _retry_or_give_up(claim: MailClaim, now: datetime) -> None:
    is_last = claim.attempts + 1 >= MAX_ATTEMPTS
    metrics.MAILS.labels("dropped" if is_last else "retried").inc()
    if is_last:
        logger.error("Giving up the mail to user %s", claim.recipient)
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
        # No mail was tried, so no attempt is counted. All mails wait for the next run.
        logger.warning("The mail server cannot be reached", exc_info=True)
        return False
    return True


def _close(connection: BaseEmailBackend) -> None:
    try:
        connection.close()
    except Exception:
        logger.warning("Closing the connection to the mail server failed", exc_info=True)
