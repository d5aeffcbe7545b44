"""Notifications: https://docs.joinmastodon.org/entities/Notification/.

Each item of a box is one. The kinds that the site has beyond Mastodon's types are given as the nearest
(``Kind.app_type``); which it is, ``socialsite`` says.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, NotRequired, TypedDict

from accounts.ids import time_of
from feed import selectors as feed
from feed.api.entities import Account, Status, accounts_of, at, statuses_of_writings
from feed.api.entities.values import Id, Moment
from notifications import selectors
from notifications.kinds import kinds

GROUPED = ("favourite", "follow", "reblog")
"""Types of which many are one to apps that ask for groups."""

TOGETHER = timedelta(hours=12)
"""Those of one thing are one group between two noons or midnights (UTC)."""

WARNING = "moderation_warning"


class AccountWarning(TypedDict):
    """https://docs.joinmastodon.org/entities/AccountWarning/. ``text``: what moderators have decided."""

    id: Id
    action: str
    text: str
    status_ids: list[str] | None
    target_account: Account
    appeal: None
    created_at: Moment


class NotificationHere(TypedDict):
    """``kind``: more exactly than ``type``."""

    kind: str
    is_read: bool


class Notification(TypedDict):
    id: Id
    type: str
    group_key: str
    created_at: Moment
    account: Account
    status: NotRequired[Status]
    moderation_warning: NotRequired[AccountWarning]
    socialsite: NotificationHere


def kinds_of(*, types: Collection[str] = (), but: Collection[str] = ()) -> list[str]:
    """The site's kinds of these types; without any, of all that apps know."""
    return [
        one.name
        for one in kinds()
        if one.app_type and (not types or one.app_type in types) and one.app_type not in but
    ]


def group_key(one: selectors.Notification, *, grouped: Collection[str] = GROUPED) -> str:
    """The same for those that are one group; made of nothing but what it is, so that it never changes."""
    if one.kind.app_type not in grouped or not one.kind.groups:
        return f"ungrouped-{one.id}"
    target = one.comment or (one.post.id if one.post else 0)
    number = int(one.at.timestamp() // TOGETHER.total_seconds())
    return f"{one.kind.app_type}-{target}-{number}"


def status_id(one: selectors.Notification) -> int | None:
    """Of what it is about."""
    return one.comment or (one.post.id if one.post else None)


def statuses_about(*, told: Sequence[selectors.Notification], reader: int) -> dict[int, Status]:
    ids = dict.fromkeys(about for one in told if (about := status_id(one)) is not None)
    found = feed.writings(ids=[*ids], viewer=reader)
    made = statuses_of_writings(items=[*found.values()], viewer=reader)
    return {int(one["id"]): one for one in made}


def people_in(*, told: Sequence[selectors.Notification], reader: int) -> dict[int, Account]:
    """Who did it; the site itself has no account, and speaks in the reader's."""
    uids = dict.fromkeys(actor_of(one, reader=reader) for one in told)
    return accounts_of(uids=[*uids])


def actor_of(one: selectors.Notification, *, reader: int) -> int:
    return one.first.uid if one.first else reader


def notifications_of(*, told: Sequence[selectors.Notification], reader: int) -> list[Notification]:
    """In their order. The same number of commands for however many."""
    if not told:
        return []
    accounts = people_in(told=told, reader=reader)
    statuses = statuses_about(told=told, reader=reader)
    return [
        _notification(one, accounts[actor_of(one, reader=reader)], statuses, reader)
        for one in told
        if actor_of(one, reader=reader) in accounts and status_id(one) in {None, *statuses}
    ]


def _notification(
    one: selectors.Notification, account: Account, statuses: dict[int, Status], reader: int
) -> Notification:
    made: Any = {
        "id": str(one.id),
        "type": one.kind.app_type,
        "group_key": group_key(one),
        "created_at": at(one.at),
        "account": account,
        "socialsite": {"kind": one.kind.name, "is_read": not one.is_unread},
    }
    if (about := status_id(one)) is not None:
        made["status"] = statuses[about]
    if one.kind.app_type == WARNING:
        made[WARNING] = warning(one, account)
    return made  # type: ignore[no-any-return]


def warning(one: selectors.Notification, account: Account) -> AccountWarning:
    return {
        "id": str(one.about or one.id),
        "action": "none",
        "text": one.words,
        "status_ids": None,
        "target_account": account,
        "appeal": None,
        "created_at": at(time_of(id=one.id)),
    }
