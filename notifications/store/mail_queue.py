"""The queue of due mails and the record of sent mails, in the same document as the box.

    notification_boxes {..., mail_due_at?, sending_upto?, mail_attempts?, mailed_upto?, mailed_at?,
                        seen_at?}

The command that delivers a row also sets ``mail_due_at``. A worker claims the mail by moving
``mail_due_at`` into the future, unless ``mail_due_at`` changed since the worker read it. If several workers
read the same value, one worker succeeds. If that worker dies, the mail is due again when the claim expires.

    sending_upto  the id of the newest row in a mail whose sending began; a retry sends the same rows
    mailed_upto   the id of the newest mailed row
    seen_at       when the user was last on the site
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pymongo import ASCENDING, ReturnDocument

from accounts.infra.ids import time_of
from accounts.infra.store.connection import Document, aware
from notifications.kinds import find_kind

from .collections import notification_boxes
from .expressions import IS_UNREAD, Expression, array_or_empty, filter_array
from .preferences import MailPreferences, mail_preferences_from_document
from .rows import NotificationRow, row_from_document

AWAY_DELAY = timedelta(minutes=10)
"""A mail goes out if the user stays away for this long after a notification."""

MAX_COUNTED = 10_000
CLAIMED_FIELDS = (
    *("recent", "mail", "mailed_upto", "mailed_at"),
    *("sending_upto", "mail_attempts", "seen_at"),
)


@dataclass(frozen=True, slots=True)
class MailClaim:
    """The claim of one worker to a user's mail.

    Attributes:
        until: when the claim expires. ``mail_due_at`` has this value while the claim lasts.
        upto_id: the id of the newest row that the mail may contain.
        rows: unread rows that were not mailed yet, newest first.
        attempts: the number of failed attempts to send this mail.
        mailed_at: when the previous mail was sent.
        seen_at: when the user was last on the site.
    """

    recipient: int
    until: datetime
    upto_id: int
    rows: tuple[NotificationRow, ...]
    preferences: MailPreferences
    attempts: int
    mailed_at: datetime | None
    seen_at: datetime | None


def create_indexes() -> None:
    notification_boxes().create_index([("mail_due_at", ASCENDING)], sparse=True)


def due_count(*, at: datetime) -> int:
    """Return the number of mails due at ``at``, at most ``MAX_COUNTED``. One command."""
    return notification_boxes().count_documents({"mail_due_at": {"$lte": at}}, limit=MAX_COUNTED)


def mail_due_expression(*, row: NotificationRow) -> Expression:
    """Return an expression for ``mail_due_at`` after the delivery of this row.

    A due time that is already set does not change. A delivery sends the expression once per recipient, so
    the expression is short. The worker checks all other conditions.
    """
    kind = find_kind(row.kind)
    if kind is None:
        return "$mail_due_at"
    moment = {"$ifNull": ["$mail_due_at", "$mail.next_digest_at", time_of(id=row.id) + AWAY_DELAY]}
    if kind.alerts_by_default:
        return {
            "$cond": [
                {"$in": [kind.name, array_or_empty("mail.skipped_kinds")]},
                "$mail_due_at",
                moment,
            ]
        }
    return {
        "$cond": [{"$in": [kind.name, array_or_empty("mail.added_kinds")]}, moment, "$mail_due_at"]
    }


def due_mails(*, at: datetime) -> Iterator[tuple[int, datetime]]:
    """Yield the uid and the due time of every due mail, longest wait first."""
    documents = notification_boxes().find({"mail_due_at": {"$lte": at}}, {"mail_due_at": 1})
    for document in documents.sort("mail_due_at", ASCENDING):
        yield document["_id"], document["mail_due_at"]


def claim_mail(*, recipient: int, due_at: datetime, until: datetime) -> MailClaim | None:
    """Claim a user's mail until ``until``. Runs one command.

    Returns None if ``mail_due_at`` is not ``due_at``, usually because another worker claimed the mail.
    """
    document = notification_boxes().find_one_and_update(
        {"_id": recipient, "mail_due_at": due_at},
        {"$set": {"mail_due_at": until}},
        CLAIMED_FIELDS,
        return_document=ReturnDocument.AFTER,
    )
    return None if document is None else _claim(document, until)


def start_sending(*, claim: MailClaim) -> bool:
    """Record that the sending of the mail begins. Returns False if the claim expired."""
    change = {"$set": {"sending_upto": claim.upto_id}}
    return notification_boxes().update_one(_of(claim), change).matched_count > 0


def postpone_mail(*, claim: MailClaim, until: datetime) -> None:
    """Make the mail due at ``until``. This is not an attempt to send the mail."""
    notification_boxes().update_one(_of(claim), {"$set": {"mail_due_at": until}})


def retry_later(*, claim: MailClaim, retry_at: datetime) -> None:
    change = {"$set": {"mail_due_at": retry_at, "mail_attempts": claim.attempts + 1}}
    notification_boxes().update_one(_of(claim), change)


def finish_mail(
    *,
    claim: MailClaim,
    now: datetime,
    is_sent: bool,
    is_given_up: bool = False,
    next_digest: datetime | None = None,
) -> None:
    """Finish a claim. Rows that arrived after the claim become due after ``AWAY_DELAY``.

    Args:
        is_sent: whether the mail was sent.
        is_given_up: whether the mail is dropped because too many attempts failed. If neither ``is_sent``
            nor ``is_given_up`` is set, there was nothing to mail or no address.
        next_digest: the time of the next digest, or None if the user gets no digests.
    """
    new_rows = filter_array("recent", {"$and": [{"$gt": ["$$this.id", claim.upto_id]}, IS_UNREAD]})
    next_due = {"$cond": [{"$gt": [{"$size": new_rows}, 0]}, now + AWAY_DELAY, "$$REMOVE"]}
    fields: Document = {
        "mail_due_at": next_due,
        "sending_upto": "$$REMOVE",
        "mail_attempts": "$$REMOVE",
    }
    if is_sent or is_given_up:
        fields["mailed_upto"] = {"$max": ["$mailed_upto", claim.upto_id]}
    if is_sent:
        fields["mailed_at"] = now
    if next_digest is not None:
        # If the user changed the mode after the claim, ``next_digest`` belongs to the old mode.
        is_same = {"$eq": ["$mail.mode", claim.preferences.mode]}
        fields["mail.next_digest_at"] = {"$cond": [is_same, next_digest, "$mail.next_digest_at"]}
    notification_boxes().update_one(_of(claim), [{"$set": fields}])


def _of(claim: MailClaim) -> Document:
    return {"_id": claim.recipient, "mail_due_at": claim.until}


def _claim(document: Document, until: datetime) -> MailClaim:
    rows = [row_from_document(row) for row in reversed(document.get("recent", ()))]
    mailed = document.get("mailed_upto", 0)
    upto = document.get("sending_upto") or (rows[0].id if rows else 0)
    return MailClaim(
        recipient=document["_id"],
        until=until,
        upto_id=upto,
        rows=tuple(row for row in rows if mailed < row.id <= upto and not row.is_read),
        preferences=mail_preferences_from_document(document),
        attempts=document.get("mail_attempts", 0),
        mailed_at=aware(document.get("mailed_at")),
        seen_at=aware(document.get("seen_at")),
    )
