"""Notifications: https://docs.joinmastodon.org/entities/Notification/.

Each item of a box is one. The kinds that the site has beyond Mastodon's types are given as the nearest
(``Kind.app_type``); which it is, ``socialsite`` says.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, NotRequired, TypedDict

from accounts.infra.ids import time_of
from feed.api.serializers.accounts import Account, serialize_accounts
from feed.api.serializers.comments import serialize_statuses
from feed.api.serializers.statuses import Status
from feed.api.serializers.values import DateTime, Id, format_datetime
from feed.selectors.content import content_by_id
from notifications.kinds import kinds
from notifications.selectors.notification_views import NotificationView

GROUPED_TYPES = ("favourite", "follow", "reblog")
"""Types of which many are one to apps that ask for groups."""

GROUP_HOURS = timedelta(hours=12)
"""Those of one thing are one group between two noons or midnights (UTC)."""

MODERATION_WARNING = "moderation_warning"


class AccountWarning(TypedDict):
    """https://docs.joinmastodon.org/entities/AccountWarning/. ``text``: what moderators have decided."""

    id: Id
    action: str
    text: str
    status_ids: list[str] | None
    target_account: Account
    appeal: None
    created_at: DateTime


class NotificationExtras(TypedDict):
    """``kind``: more exactly than ``type``."""

    kind: str
    is_read: bool


class Notification(TypedDict):
    id: Id
    type: str
    group_key: str
    created_at: DateTime
    account: Account
    status: NotRequired[Status]
    moderation_warning: NotRequired[AccountWarning]
    socialsite: NotificationExtras


def kind_names_of_types(
    *, types: Collection[str] = (), excluded_types: Collection[str] = ()
) -> list[str]:
    """The site's kinds of these types; without any, of all that apps know."""
    return [
        one.name
        for one in kinds()
        if one.api_type
        and (not types or one.api_type in types)
        and one.api_type not in excluded_types
    ]


def group_key(one: NotificationView, *, grouped_types: Collection[str] = GROUPED_TYPES) -> str:
    """The same for those that are one group; made of nothing but what it is, so that it never changes."""
    if one.kind.api_type not in grouped_types or not one.kind.is_grouped:
        return f"ungrouped-{one.id}"
    target = one.comment_id or (one.post.id if one.post else 0)
    number = int(one.created_at.timestamp() // GROUP_HOURS.total_seconds())
    return f"{one.kind.api_type}-{target}-{number}"


def status_id(one: NotificationView) -> int | None:
    """Of what it is about."""
    return one.comment_id or (one.post.id if one.post else None)


def statuses_by_id(*, notifications: Sequence[NotificationView], viewer: int) -> dict[int, Status]:
    ids = dict.fromkeys(about for one in notifications if (about := status_id(one)) is not None)
    found = content_by_id(ids=[*ids], viewer=viewer)
    made = serialize_statuses(items=[*found.values()], viewer=viewer)
    return {int(one["id"]): one for one in made}


def accounts_by_uid(
    *, notifications: Sequence[NotificationView], viewer: int
) -> dict[int, Account]:
    """Who did it; the site itself has no account, and speaks in the reader's."""
    uids = dict.fromkeys(account_uid(one, viewer=viewer) for one in notifications)
    return serialize_accounts(uids=[*uids])


def account_uid(one: NotificationView, *, viewer: int) -> int:
    return one.first_actor.uid if one.first_actor else viewer


def serialize_notifications(
    *, notifications: Sequence[NotificationView], viewer: int
) -> list[Notification]:
    """In their order. The same number of commands for however many."""
    if not notifications:
        return []
    accounts = accounts_by_uid(notifications=notifications, viewer=viewer)
    statuses = statuses_by_id(notifications=notifications, viewer=viewer)
    return [
        _notification(one, accounts[account_uid(one, viewer=viewer)], statuses, viewer)
        for one in notifications
        if account_uid(one, viewer=viewer) in accounts and status_id(one) in {None, *statuses}
    ]


def _notification(
    one: NotificationView, account: Account, statuses: dict[int, Status], reader: int
) -> Notification:
    made: Any = {
        "id": str(one.id),
        "type": one.kind.api_type,
        "group_key": group_key(one),
        "created_at": format_datetime(one.created_at),
        "account": account,
        "socialsite": {"kind": one.kind.name, "is_read": not one.is_unread},
    }
    if (about := status_id(one)) is not None:
        made["status"] = statuses[about]
    if one.kind.api_type == MODERATION_WARNING:
        made[MODERATION_WARNING] = serialize_warning(one, account)
    return made  # type: ignore[no-any-return]


def serialize_warning(one: NotificationView, account: Account) -> AccountWarning:
    return {
        "id": str(one.target_id or one.id),
        "action": "none",
        "text": one.text,
        "status_ids": None,
        "target_account": account,
        "appeal": None,
        "created_at": format_datetime(time_of(id=one.id)),
    }
