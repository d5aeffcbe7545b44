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

from accounts import selectors as people
from accounts.ids import time_of
from notifications.kinds import kind_of
from notifications.store import mails
from notifications.store.choices import AWAY, OFF
from notifications.store.items import Item
from notifications.store.mails import Claim

from . import schedule
from .composing import compose

logger = logging.getLogger(__name__)

RUN_SECONDS = 50.0
LEASE = timedelta(minutes=10)
"""Longer than one mail takes, with all time-outs: then somebody else may try."""

FIRST_PAUSE = timedelta(minutes=5)
MOST_TRIES = 8
"""With pauses that double, some ten hours. Then this mail is given up; the next one is tried again."""


def send_due() -> None:
    """All, or as many as one run has time for."""
    end = time.monotonic() + RUN_SECONDS
    connection = get_connection()
    try:
        for reader, due in mails.due(at=timezone.now()):
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
    claim = mails.claim(reader=reader, due=due, until=now + LEASE)
    if claim is None:
        return
    try:
        _mail(claim, connection, now)
    except Exception:
        logger.exception("Person %s could not be mailed, time %s", reader, claim.tries + 1)
        _close(connection)
        _try_later(claim, now)


def _mail(claim: Claim, connection: BaseEmailBackend, now: datetime) -> None:
    items = _news(claim)
    if items:
        moment = schedule.mail_moment(
            choice=claim.choice,
            first=time_of(id=items[-1].id),
            mailed_at=claim.mailed_at,
            now=now,
        )
        if moment > now:
            mails.put_off(claim=claim, until=moment)
            return
    address = people.mail_address(uid=claim.reader) if items else None
    mail = compose(claim=claim, items=items, address=address) if address else None
    if mail is not None:
        if not mails.begin(claim=claim):
            return
        mail.connection = connection
        mail.send()
    _finish(claim, now, is_mailed=mail is not None)


def _news(claim: Claim) -> list[Item]:
    """What there is to mail, the newest first."""
    if claim.choice.mode == OFF:
        return []
    seen_at = claim.seen_at if claim.choice.mode == AWAY else None
    return [
        item
        for item in claim.items
        if (kind := kind_of(item.kind)) is not None
        and claim.choice.wants(kind=kind)
        and (seen_at is None or time_of(id=item.id) > seen_at)
    ]


def _try_later(claim: Claim, now: datetime) -> None:
    if claim.tries + 1 >= MOST_TRIES:
        logger.error("The mail to person %s is given up", claim.reader)
        _finish(claim, now, is_given_up=True)
    else:
        mails.failed(claim=claim, again=now + FIRST_PAUSE * 2**claim.tries)


def _finish(
    claim: Claim, now: datetime, *, is_mailed: bool = False, is_given_up: bool = False
) -> None:
    mails.finish(
        claim=claim,
        at=now,
        is_mailed=is_mailed,
        is_given_up=is_given_up,
        next_digest=schedule.next_digest(choice=claim.choice, after=now),
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
