"""What a reader wants to hear of, in the same document as the box, so that a delivery asks nothing.

    notification_boxes {..., off: [kinds], filters: [classes], muted: [post ids],
                        mail: {mode, on: [kinds], off: [kinds], quiet: [from, until]?, zone,
                               skips: [kinds], adds: [kinds], next?},
                        push: {on: [kinds], off: [kinds]}}

What a delivery needs to know is worked out beforehand: ``skips``, the kinds that wait for no mail though
they would by themselves, ``adds``, the other way round, and ``next``, when a digest goes out. What becomes
of mails is in ``mails``.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from pymongo.errors import DuplicateKeyError

from notifications.kinds import Kind, choosable, kinds

from .collections import Document, notification_boxes

OFF, AWAY, DAILY, WEEKLY = "off", "away", "daily", "weekly"
"""No mails; soon after something happens, unless the reader comes to see it; once a day, or a week."""


@dataclass(frozen=True, slots=True)
class KindChoice:
    """``on``, ``off``: kinds that come by mail, or to devices, or not, other than they do by themselves."""

    on: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()

    def wants(self, *, kind: Kind) -> bool:
        return kind.name not in self.off if kind.by_mail else kind.name in self.on

    @property
    def wanted(self) -> list[str]:
        """The kinds to choose from of which, or of what is chosen with them, something comes."""
        names = {one.choice for one in kinds() if self.wants(kind=one)}
        return [one.name for one in choosable() if one.name in names]


@dataclass(frozen=True, slots=True)
class MailChoice(KindChoice):
    """No mail goes out in the quiet hours: minutes of the day in the ``zone``, both None if there are none.
    ``zone``: "" is that of the site."""

    mode: str = AWAY
    quiet_from: int | None = None
    quiet_until: int | None = None
    zone: str = ""

    @property
    def skips(self) -> list[str]:
        return [one.name for one in kinds() if one.by_mail and not self._mails(one)]

    @property
    def adds(self) -> list[str]:
        return [one.name for one in kinds() if not one.by_mail and self._mails(one)]

    @property
    def is_digest(self) -> bool:
        return self.mode in (DAILY, WEEKLY)

    def _mails(self, kind: Kind) -> bool:
        return self.mode != OFF and self.wants(kind=kind)


@dataclass(frozen=True, slots=True)
class Choices:
    off: frozenset[str] = frozenset()
    filters: frozenset[str] = frozenset()
    mail: MailChoice = field(default_factory=MailChoice)
    push: KindChoice = field(default_factory=KindChoice)


def get(*, reader: int) -> Choices:
    """One command."""
    wanted = {"off": 1, "filters": 1, "mail": 1, "push": 1}
    return choices_of(notification_boxes().find_one({"_id": reader}, wanted) or {})


def choices_of(document: Document) -> Choices:
    """All choices in a reader's document."""
    push = document.get("push", {})
    return Choices(
        off=frozenset(document.get("off", ())),
        filters=frozenset(document.get("filters", ())),
        mail=mail_of(document),
        push=KindChoice(frozenset(push.get("on", ())), frozenset(push.get("off", ()))),
    )


def mail_of(document: Document) -> MailChoice:
    """The choice in a reader's document."""
    mail = document.get("mail")
    if mail is None:
        return MailChoice()
    quiet_from, quiet_until = mail["quiet"] or (None, None)
    return MailChoice(
        mode=mail["mode"],
        on=frozenset(mail["on"]),
        off=frozenset(mail["off"]),
        quiet_from=quiet_from,
        quiet_until=quiet_until,
        zone=mail["zone"],
    )


def put(*, reader: int, off: Collection[str], filters: Collection[str]) -> None:
    change: Document = {
        "$set": {"off": list(off), "filters": list(filters)},
        "$setOnInsert": {"unread": 0},
    }
    _write(reader, change)


def put_push(*, reader: int, choice: KindChoice) -> None:
    push = {"on": sorted(choice.on), "off": sorted(choice.off)}
    _write(reader, {"$set": {"push": push}, "$setOnInsert": {"unread": 0}})


def put_mail(
    *, reader: int, choice: MailChoice, next_digest: datetime | None, newest: int, at: datetime
) -> None:
    """What waits to be mailed is looked at again; who had no mails before does not get what was told until
    ``newest``, an id."""
    has_quiet_hours = choice.quiet_from is not None
    mail = {
        "mode": choice.mode,
        "on": sorted(choice.on),
        "off": sorted(choice.off),
        "quiet": [choice.quiet_from, choice.quiet_until] if has_quiet_hours else None,
        "zone": choice.zone,
        "skips": choice.skips,
        "adds": choice.adds,
        "next": next_digest,
    }
    was_off = {"$eq": ["$mail.mode", OFF]}
    is_waiting = {"$eq": [{"$type": "$mail_due"}, "date"]}
    # Whoever is sending now has set the moment to know it by.
    is_sent_now = {"$ne": [{"$type": "$mail_upto"}, "missing"]}
    looked_at = {
        "$cond": [{"$and": [is_waiting, {"$not": [is_sent_now]}]}, at, "$mail_due"],
    }
    changed: Document = {
        "mail": {"$literal": mail},
        "mailed": {"$cond": [was_off, newest, "$mailed"]},
        "mail_due": looked_at,
        "unread": {"$ifNull": ["$unread", 0]},
    }
    if choice.mode == OFF:
        changed |= {"mail_due": "$$REMOVE", "mail_upto": "$$REMOVE"}
    _write(reader, [{"$set": changed}])


def _write(reader: int, change: Document | list[Document]) -> None:
    try:
        notification_boxes().update_one({"_id": reader}, change, upsert=True)
    except DuplicateKeyError:  # somebody made the box this moment
        notification_boxes().update_one({"_id": reader}, change)
