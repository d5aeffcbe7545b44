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

from notifications.kinds import Kind, configurable_kinds, kinds

from .collections import Document, notification_boxes

NEVER, WHEN_AWAY, DAILY, WEEKLY = "off", "away", "daily", "weekly"
"""No mails; soon after something happens, unless the reader comes to see it; once a day, or a week."""


@dataclass(frozen=True, slots=True)
class KindPreferences:
    """``on``, ``off``: kinds that come by mail, or to devices, or not, other than they do by themselves."""

    enabled: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()

    def wants(self, *, kind: Kind) -> bool:
        return (
            kind.name not in self.disabled if kind.alerts_by_default else kind.name in self.enabled
        )

    @property
    def configured_kinds(self) -> list[str]:
        """The kinds to choose from of which, or of what is chosen with them, something comes."""
        names = {one.preference_name for one in kinds() if self.wants(kind=one)}
        return [one.name for one in configurable_kinds() if one.name in names]


@dataclass(frozen=True, slots=True)
class MailPreferences(KindPreferences):
    """No mail goes out in the quiet hours: minutes of the day in the ``zone``, both None if there are none.
    ``zone``: "" is that of the site."""

    mode: str = WHEN_AWAY
    quiet_from: int | None = None
    quiet_until: int | None = None
    time_zone: str = ""

    @property
    def skipped_kinds(self) -> list[str]:
        return [one.name for one in kinds() if one.alerts_by_default and not self._mails(one)]

    @property
    def added_kinds(self) -> list[str]:
        return [one.name for one in kinds() if not one.alerts_by_default and self._mails(one)]

    @property
    def is_digest(self) -> bool:
        return self.mode in (DAILY, WEEKLY)

    def _mails(self, kind: Kind) -> bool:
        return self.mode != NEVER and self.wants(kind=kind)


@dataclass(frozen=True, slots=True)
class Preferences:
    disabled_kinds: frozenset[str] = frozenset()
    filters: frozenset[str] = frozenset()
    mail: MailPreferences = field(default_factory=MailPreferences)
    push: KindPreferences = field(default_factory=KindPreferences)


def get_preferences(*, recipient: int) -> Preferences:
    """One command."""
    wanted = {"off": 1, "filters": 1, "mail": 1, "push": 1}
    return preferences_from_document(
        notification_boxes().find_one({"_id": recipient}, wanted) or {}
    )


def preferences_from_document(document: Document) -> Preferences:
    """All choices in a reader's document."""
    push = document.get("push", {})
    return Preferences(
        disabled_kinds=frozenset(document.get("off", ())),
        filters=frozenset(document.get("filters", ())),
        mail=mail_preferences_from_document(document),
        push=KindPreferences(frozenset(push.get("on", ())), frozenset(push.get("off", ()))),
    )


def mail_preferences_from_document(document: Document) -> MailPreferences:
    """The choice in a reader's document."""
    mail = document.get("mail")
    if mail is None:
        return MailPreferences()
    quiet_from, quiet_until = mail["quiet"] or (None, None)
    return MailPreferences(
        mode=mail["mode"],
        enabled=frozenset(mail["on"]),
        disabled=frozenset(mail["off"]),
        quiet_from=quiet_from,
        quiet_until=quiet_until,
        time_zone=mail["zone"],
    )


def save_kinds(
    *, recipient: int, disabled_kinds: Collection[str], filters: Collection[str]
) -> None:
    change: Document = {
        "$set": {"off": list(disabled_kinds), "filters": list(filters)},
        "$setOnInsert": {"unread": 0},
    }
    _write(recipient, change)


def save_push(*, recipient: int, preferences: KindPreferences) -> None:
    push = {"on": sorted(preferences.enabled), "off": sorted(preferences.disabled)}
    _write(recipient, {"$set": {"push": push}, "$setOnInsert": {"unread": 0}})


def save_mail(
    *,
    recipient: int,
    preferences: MailPreferences,
    next_digest: datetime | None,
    mailed_upto: int,
    at: datetime,
) -> None:
    """What waits to be mailed is looked at again; who had no mails before does not get what was told until
    ``newest``, an id."""
    has_quiet_hours = preferences.quiet_from is not None
    mail = {
        "mode": preferences.mode,
        "on": sorted(preferences.enabled),
        "off": sorted(preferences.disabled),
        "quiet": [preferences.quiet_from, preferences.quiet_until] if has_quiet_hours else None,
        "zone": preferences.time_zone,
        "skips": preferences.skipped_kinds,
        "adds": preferences.added_kinds,
        "next": next_digest,
    }
    was_off = {"$eq": ["$mail.mode", NEVER]}
    is_waiting = {"$eq": [{"$type": "$mail_due"}, "date"]}
    # Whoever is sending now has set the moment to know it by.
    is_sent_now = {"$ne": [{"$type": "$mail_upto"}, "missing"]}
    looked_at = {
        "$cond": [{"$and": [is_waiting, {"$not": [is_sent_now]}]}, at, "$mail_due"],
    }
    changed: Document = {
        "mail": {"$literal": mail},
        "mailed": {"$cond": [was_off, mailed_upto, "$mailed"]},
        "mail_due": looked_at,
        "unread": {"$ifNull": ["$unread", 0]},
    }
    if preferences.mode == NEVER:
        changed |= {"mail_due": "$$REMOVE", "mail_upto": "$$REMOVE"}
    _write(recipient, [{"$set": changed}])


def _write(reader: int, change: Document | list[Document]) -> None:
    try:
        notification_boxes().update_one({"_id": reader}, change, upsert=True)
    except DuplicateKeyError:  # somebody made the box this moment
        notification_boxes().update_one({"_id": reader}, change)
