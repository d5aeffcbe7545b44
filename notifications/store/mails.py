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

from accounts.ids import time_of
from notifications.kinds import kind_of

from .choices import MailChoice, mail_of
from .collections import Document, notification_boxes
from .expressions import UNREAD, Expression, array, those
from .items import Item, item_of

AWAY_FOR = timedelta(minutes=10)
"""Who has not come for so long after something happened gets a mail."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A box that one worker may mail from until ``until``. ``items``: those that are unread and not mailed,
    the newest first."""

    reader: int
    until: datetime
    upto: int
    items: tuple[Item, ...]
    choice: MailChoice
    tries: int
    mailed_at: datetime | None
    seen_at: datetime | None


def prepare() -> None:
    notification_boxes().create_index([("mail_due", ASCENDING)], sparse=True)


def due_on_arrival(*, item: Item) -> Expression:
    """``mail_due`` once this item has come: a moment that is set already stays. As short as can be, for it
    is sent for each reader; what else there is to ask, whoever looks at the box asks."""
    kind = kind_of(item.kind)
    if kind is None:
        return "$mail_due"
    moment = {"$ifNull": ["$mail_due", "$mail.next", _ms(time_of(id=item.id) + AWAY_FOR)]}
    if kind.by_mail:
        return {"$cond": [{"$in": [kind.name, array("mail.skips")]}, "$mail_due", moment]}
    return {"$cond": [{"$in": [kind.name, array("mail.adds")]}, moment, "$mail_due"]}


def due(*, at: datetime) -> Iterator[tuple[int, datetime]]:
    """Readers and the moments they are due since, the longest waiting first."""
    found = notification_boxes().find({"mail_due": {"$lte": at}}, {"mail_due": 1})
    for one in found.sort("mail_due", ASCENDING):
        yield one["_id"], one["mail_due"]


def claim(*, reader: int, due: datetime, until: datetime) -> Claim | None:
    """One command. None if somebody else was quicker, or it is not due any more."""
    until = _ms(until)
    found = notification_boxes().find_one_and_update(
        {"_id": reader, "mail_due": due},
        {"$set": {"mail_due": until}},
        dict.fromkeys(
            ("items", "mail", "mailed", "mailed_at", "mail_upto", "mail_tries", "seen_at"), 1
        ),
        return_document=ReturnDocument.AFTER,
    )
    return None if found is None else _claim(found, until)


def begin(*, claim: Claim) -> bool:
    """From now on the mail may have been sent. False if the claim is not good any more."""
    begun = {"$set": {"mail_upto": claim.upto}}
    return notification_boxes().update_one(_of(claim), begun).matched_count > 0


def put_off(*, claim: Claim, until: datetime) -> None:
    """It is not due before then."""
    notification_boxes().update_one(_of(claim), {"$set": {"mail_due": _ms(until)}})


def failed(*, claim: Claim, again: datetime) -> None:
    change = {"$set": {"mail_due": _ms(again), "mail_tries": claim.tries + 1}}
    notification_boxes().update_one(_of(claim), change)


def finish(
    *,
    claim: Claim,
    at: datetime,
    is_mailed: bool,
    is_given_up: bool = False,
    next_digest: datetime | None = None,
) -> None:
    """Nothing waits any more, but for what came meanwhile. Neither mailed nor given up: there was nothing
    to mail, or nobody to mail it to."""
    came = those("items", {"$and": [{"$gt": ["$$this.id", claim.upto]}, UNREAD]})
    again = {"$cond": [{"$gt": [{"$size": came}, 0]}, _ms(at + AWAY_FOR), "$$REMOVE"]}
    changed: Document = {
        "mail_due": again,
        "mail_upto": "$$REMOVE",
        "mail_tries": "$$REMOVE",
    }
    if is_mailed or is_given_up:
        changed["mailed"] = {"$max": ["$mailed", claim.upto]}
    if is_mailed:
        changed["mailed_at"] = _ms(at)
    if next_digest is not None:
        # They may have chosen another mode, or zone, with another moment.
        is_same = {"$eq": ["$mail.mode", claim.choice.mode]}
        changed["mail.next"] = {"$cond": [is_same, _ms(next_digest), "$mail.next"]}
    notification_boxes().update_one(_of(claim), [{"$set": changed}])


def note_presence(*, reader: int, at: datetime) -> int:
    """The reader is here; returns how many items are unread. One command."""
    found = notification_boxes().find_one_and_update(
        {"_id": reader}, {"$max": {"seen_at": _ms(at)}}, {"unread": 1}
    )
    return 0 if found is None else int(found["unread"])


def _of(claim: Claim) -> Document:
    return {"_id": claim.reader, "mail_due": claim.until}


def _claim(found: Document, until: datetime) -> Claim:
    items = [item_of(one) for one in reversed(found.get("items", ()))]
    mailed = found.get("mailed", 0)
    upto = found.get("mail_upto") or (items[0].id if items else 0)
    return Claim(
        reader=found["_id"],
        until=until,
        upto=upto,
        items=tuple(one for one in items if mailed < one.id <= upto and not one.is_read),
        choice=mail_of(found),
        tries=found.get("mail_tries", 0),
        mailed_at=_aware(found.get("mailed_at")),
        seen_at=_aware(found.get("seen_at")),
    )


def _ms(moment: datetime) -> datetime:
    """As the database keeps it."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _aware(moment: Any) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
