"""Which readers wait for a mail, and how far they have been mailed; in the same document as the box.

    notification_boxes {..., mail_due?, mail_upto?, mail_tries?, mailed?, mailed_at?, seen_at?}

A delivery sets ``mail_due`` in its one command: then a worker looks what is to be mailed. It claims the box
by moving ``mail_due`` from the moment that it read into the future; so of two who read the same moment one
goes on, and what a killed worker has claimed is due again later. ``mail_upto`` is the newest item of a mail
that somebody began to send: whoever tries again sends the same mail. ``mailed``: the newest item that was.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pymongo import ASCENDING, ReturnDocument

from accounts.infra.ids import time_of
from notifications.kinds import find_kind

from .collections import Document, notification_boxes
from .expressions import IS_UNREAD, Expression, array_or_empty, filter_array
from .preferences import MailPreferences, mail_preferences_from_document
from .rows import NotificationRow, row_from_document

AWAY_DELAY = timedelta(minutes=10)
"""Who has not come for so long after something happened gets a mail."""


@dataclass(frozen=True, slots=True)
class MailClaim:
    """A box that one worker may mail from until ``until``. ``items``: those that are unread and not mailed,
    the newest first."""

    recipient: int
    until: datetime
    upto_id: int
    rows: tuple[NotificationRow, ...]
    preferences: MailPreferences
    attempts: int
    mailed_at: datetime | None
    seen_at: datetime | None


def create_indexes() -> None:
    notification_boxes().create_index([("mail_due", ASCENDING)], sparse=True)


def mail_due_expression(*, row: NotificationRow) -> Expression:
    """``mail_due`` once this item has come: a moment that is set already stays. As short as can be, for it
    is sent for each reader; what else there is to ask, whoever looks at the box asks."""
    kind = find_kind(row.kind)
    if kind is None:
        return "$mail_due"
    moment = {"$ifNull": ["$mail_due", "$mail.next", _ms(time_of(id=row.id) + AWAY_DELAY)]}
    if kind.alerts_by_default:
        return {"$cond": [{"$in": [kind.name, array_or_empty("mail.skips")]}, "$mail_due", moment]}
    return {"$cond": [{"$in": [kind.name, array_or_empty("mail.adds")]}, moment, "$mail_due"]}


def due_mails(*, at: datetime) -> Iterator[tuple[int, datetime]]:
    """Readers and the moments they are due since, the longest waiting first."""
    found = notification_boxes().find({"mail_due": {"$lte": at}}, {"mail_due": 1})
    for one in found.sort("mail_due", ASCENDING):
        yield one["_id"], one["mail_due"]


def claim_mail(*, recipient: int, due_at: datetime, until: datetime) -> MailClaim | None:
    """One command. None if somebody else was quicker, or it is not due any more."""
    until = _ms(until)
    found = notification_boxes().find_one_and_update(
        {"_id": recipient, "mail_due": due_at},
        {"$set": {"mail_due": until}},
        dict.fromkeys(
            ("items", "mail", "mailed", "mailed_at", "mail_upto", "mail_tries", "seen_at"), 1
        ),
        return_document=ReturnDocument.AFTER,
    )
    return None if found is None else _claim(found, until)


def start_sending(*, claim: MailClaim) -> bool:
    """From now on the mail may have been sent. False if the claim is not good any more."""
    begun = {"$set": {"mail_upto": claim.upto_id}}
    return notification_boxes().update_one(_of(claim), begun).matched_count > 0


def postpone_mail(*, claim: MailClaim, until: datetime) -> None:
    """It is not due before then."""
    notification_boxes().update_one(_of(claim), {"$set": {"mail_due": _ms(until)}})


def retry_later(*, claim: MailClaim, retry_at: datetime) -> None:
    change = {"$set": {"mail_due": _ms(retry_at), "mail_tries": claim.attempts + 1}}
    notification_boxes().update_one(_of(claim), change)


def finish_mail(
    *,
    claim: MailClaim,
    now: datetime,
    is_sent: bool,
    is_given_up: bool = False,
    next_digest: datetime | None = None,
) -> None:
    """Nothing waits any more, but for what came meanwhile. Neither mailed nor given up: there was nothing
    to mail, or nobody to mail it to."""
    came = filter_array("items", {"$and": [{"$gt": ["$$this.id", claim.upto_id]}, IS_UNREAD]})
    again = {"$cond": [{"$gt": [{"$size": came}, 0]}, _ms(now + AWAY_DELAY), "$$REMOVE"]}
    changed: Document = {
        "mail_due": again,
        "mail_upto": "$$REMOVE",
        "mail_tries": "$$REMOVE",
    }
    if is_sent or is_given_up:
        changed["mailed"] = {"$max": ["$mailed", claim.upto_id]}
    if is_sent:
        changed["mailed_at"] = _ms(now)
    if next_digest is not None:
        # They may have chosen another mode, or zone, with another moment.
        is_same = {"$eq": ["$mail.mode", claim.preferences.mode]}
        changed["mail.next"] = {"$cond": [is_same, _ms(next_digest), "$mail.next"]}
    notification_boxes().update_one(_of(claim), [{"$set": changed}])


def record_presence(*, recipient: int, now: datetime) -> int:
    """The reader is here; returns how many items are unread. One command."""
    found = notification_boxes().find_one_and_update(
        {"_id": recipient}, {"$max": {"seen_at": _ms(now)}}, {"unread": 1}
    )
    return 0 if found is None else int(found["unread"])


def _of(claim: MailClaim) -> Document:
    return {"_id": claim.recipient, "mail_due": claim.until}


def _claim(found: Document, until: datetime) -> MailClaim:
    items = [row_from_document(one) for one in reversed(found.get("items", ()))]
    mailed = found.get("mailed", 0)
    upto = found.get("mail_upto") or (items[0].id if items else 0)
    return MailClaim(
        recipient=found["_id"],
        until=until,
        upto_id=upto,
        rows=tuple(one for one in items if mailed < one.id <= upto and not one.is_read),
        preferences=mail_preferences_from_document(found),
        attempts=found.get("mail_tries", 0),
        mailed_at=_aware(found.get("mailed_at")),
        seen_at=_aware(found.get("seen_at")),
    )


def _ms(moment: datetime) -> datetime:
    """As the database keeps it."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _aware(moment: Any) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
