"""Notification preferences, in the same document as the box, so that a delivery needs no query.

    notification_boxes {..., disabled_kinds, filters: [sender classes], muted_posts: [post ids],
                        mail: {mode, enabled: [kinds], disabled: [kinds], quiet_hours: [from, until]?,
                               time_zone, skipped_kinds, added_kinds, next_digest_at?},
                        push: {enabled: [kinds], disabled: [kinds]}}

Three fields are computed in advance for deliveries (see ``mail_queue``):

* ``skipped_kinds``: kinds that are mailed by default, but not to this user
* ``added_kinds``: kinds that are not mailed by default, but mailed to this user
* ``next_digest_at``: the time of the next digest
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from accounts.infra.store.connection import Document, upsert
from notifications.kinds import Kind, configurable_kinds, kinds

from .collections import notification_boxes

NEVER, WHEN_AWAY, DAILY, WEEKLY = "off", "away", "daily", "weekly"
"""Mail modes: never, soon after a notification if the user is away, daily digest, weekly digest."""


@dataclass(frozen=True, slots=True)
class KindPreferences:
    """The differences between a user's preferences and the defaults, either for mails or for pushes.

    Attributes:
        enabled: names of kinds that are off by default and that the user turned on.
        disabled: names of kinds that are on by default and that the user turned off.
    """

    enabled: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()

    def wants(self, *, kind: Kind) -> bool:
        return (
            kind.name not in self.disabled if kind.alerts_by_default else kind.name in self.enabled
        )

    @property
    def configured_kinds(self) -> list[str]:
        """Return the configurable kinds that are on, or whose preference covers a kind that is on."""
        names = {kind.preference_name for kind in kinds() if self.wants(kind=kind)}
        return [kind.name for kind in configurable_kinds() if kind.name in names]


@dataclass(frozen=True, slots=True)
class MailPreferences(KindPreferences):
    """Mail preferences.

    Attributes:
        mode: ``NEVER``, ``WHEN_AWAY``, ``DAILY`` or ``WEEKLY``.
        quiet_from: start of the quiet hours as a minute of the day, or None without quiet hours.
        quiet_until: end of the quiet hours, in the same format.
        time_zone: name of a time zone, or "" for the time zone of the site.
    """

    mode: str = WHEN_AWAY
    quiet_from: int | None = None
    quiet_until: int | None = None
    time_zone: str = ""

    @property
    def skipped_kinds(self) -> list[str]:
        return [kind.name for kind in kinds() if kind.alerts_by_default and not self._mails(kind)]

    @property
    def added_kinds(self) -> list[str]:
        return [kind.name for kind in kinds() if not kind.alerts_by_default and self._mails(kind)]

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
    """Return a user's preferences. Runs one command."""
    projection = {"disabled_kinds": 1, "filters": 1, "mail": 1, "push": 1}
    return preferences_from_document(
        notification_boxes().find_one({"_id": recipient}, projection) or {}
    )


def preferences_from_document(document: Document) -> Preferences:
    """Return all preferences in a box document."""
    push = document.get("push", {})
    return Preferences(
        disabled_kinds=frozenset(document.get("disabled_kinds", ())),
        filters=frozenset(document.get("filters", ())),
        mail=mail_preferences_from_document(document),
        push=KindPreferences(
            frozenset(push.get("enabled", ())), frozenset(push.get("disabled", ()))
        ),
    )


def mail_preferences_from_document(document: Document) -> MailPreferences:
    """Return the mail preferences in a box document."""
    mail = document.get("mail")
    if mail is None:
        return MailPreferences()
    quiet_from, quiet_until = mail["quiet_hours"] or (None, None)
    return MailPreferences(
        mode=mail["mode"],
        enabled=frozenset(mail["enabled"]),
        disabled=frozenset(mail["disabled"]),
        quiet_from=quiet_from,
        quiet_until=quiet_until,
        time_zone=mail["time_zone"],
    )


def save_kinds(
    *, recipient: int, disabled_kinds: Collection[str], filters: Collection[str]
) -> None:
    """Save the disabled kinds and the filtered sender classes (``services.delivery``)."""
    change: Document = {
        "$set": {"disabled_kinds": list(disabled_kinds), "filters": list(filters)},
        "$setOnInsert": {"unread": 0},
    }
    _write(recipient, change)


def save_push(*, recipient: int, preferences: KindPreferences) -> None:
    push = {"enabled": sorted(preferences.enabled), "disabled": sorted(preferences.disabled)}
    _write(recipient, {"$set": {"push": push}, "$setOnInsert": {"unread": 0}})


def save_mail(
    *,
    recipient: int,
    preferences: MailPreferences,
    next_digest: datetime | None,
    mailed_upto: int,
    at: datetime,
) -> None:
    """Save mail preferences. A waiting mail becomes due at ``at``, so a worker applies the new preferences.

    Args:
        next_digest: the time of the next digest, or None if the user gets no digests.
        mailed_upto: an id. If mails were off before, rows up to this id are never mailed.
        at: the current time.
    """
    has_quiet_hours = preferences.quiet_from is not None
    mail = {
        "mode": preferences.mode,
        "enabled": sorted(preferences.enabled),
        "disabled": sorted(preferences.disabled),
        "quiet_hours": [preferences.quiet_from, preferences.quiet_until]
        if has_quiet_hours
        else None,
        "time_zone": preferences.time_zone,
        "skipped_kinds": preferences.skipped_kinds,
        "added_kinds": preferences.added_kinds,
        "next_digest_at": next_digest,
    }
    was_off = {"$eq": ["$mail.mode", NEVER]}
    is_waiting = {"$eq": [{"$type": "$mail_due_at"}, "date"]}
    # While a worker is sending the mail, ``mail_due_at`` identifies the claim and must not change.
    is_sending = {"$ne": [{"$type": "$sending_upto"}, "missing"]}
    mail_due = {
        "$cond": [{"$and": [is_waiting, {"$not": [is_sending]}]}, at, "$mail_due_at"],
    }
    fields: Document = {
        "mail": {"$literal": mail},
        "mailed_upto": {"$cond": [was_off, mailed_upto, "$mailed_upto"]},
        "mail_due_at": mail_due,
        "unread": {"$ifNull": ["$unread", 0]},
    }
    if preferences.mode == NEVER:
        fields |= {"mail_due_at": "$$REMOVE", "sending_upto": "$$REMOVE"}
    _write(recipient, [{"$set": fields}])


def _write(recipient: int, change: Document | list[Document]) -> None:
    upsert(collection=notification_boxes(), query={"_id": recipient}, change=change)
