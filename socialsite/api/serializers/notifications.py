"""Notifications: https://docs.joinmastodon.org/entities/Notification/.

Each row of a box becomes one notification. Mastodon does not have all kinds of this site. The field
``type`` is the nearest type of Mastodon (``notification_types``), ``socialsite`` has the exact kind.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, NotRequired, TypedDict

from accounts.infra.ids import time_of
from feed.selectors.posts_and_comments import content_by_id
from notifications.kinds import kinds
from notifications.selectors.notification_views import NotificationView
from socialsite.api.notification_types import MODERATION_WARNING

from .accounts import Account, serialize_accounts
from .comments import serialize_statuses
from .statuses import Status
from .values import DateTime, Id, format_datetime

GROUPED_TYPES = ("favourite", "follow", "reblog")
"""Types that are grouped by default."""

GROUP_HOURS = timedelta(hours=12)
"""Each group contains notifications of half a day, from noon or midnight (UTC)."""


class AccountWarning(TypedDict):
    """https://docs.joinmastodon.org/entities/AccountWarning/. ``text`` is the moderators'
    notice."""

    id: Id
    action: str
    text: str
    status_ids: list[str] | None
    target_account: Account
    appeal: None
    created_at: DateTime


class NotificationExtras(TypedDict):
    """Fields that Mastodon does not have. ``kind`` is more exact than ``type``."""

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
    """Return the names of kinds with these types. Without ``types``, return all kinds that have a type."""
    return [
        kind.name
        for kind in kinds()
        if kind.api_type
        and (not types or kind.api_type in types)
        and kind.api_type not in excluded_types
    ]


def group_key(
    notification: NotificationView, *, grouped_types: Collection[str] = GROUPED_TYPES
) -> str:
    """Return the key of the notification's group. A notification never changes its group."""
    if notification.kind.api_type not in grouped_types or not notification.kind.is_grouped:
        return f"ungrouped-{notification.id}"
    target = notification.comment_id or (notification.post.id if notification.post else 0)
    number = int(notification.created_at.timestamp() // GROUP_HOURS.total_seconds())
    return f"{notification.kind.api_type}-{target}-{number}"


def status_id(notification: NotificationView) -> int | None:
    """Return the id of the status that the notification is about, or None if there is no such status."""
    return notification.comment_id or (notification.post.id if notification.post else None)


def statuses_by_id(*, notifications: Sequence[NotificationView], viewer: int) -> dict[int, Status]:
    ids = dict.fromkeys(
        about_id
        for notification in notifications
        if (about_id := status_id(notification)) is not None
    )
    content = content_by_id(ids=[*ids], viewer=viewer)
    statuses = serialize_statuses(items=[*content.values()], viewer=viewer)
    return {int(status["id"]): status for status in statuses}


def accounts_by_uid(
    *, notifications: Sequence[NotificationView], viewer: int
) -> dict[int, Account]:
    """Return the accounts of the actors in order. Notices from the site have the viewer's account."""
    uids = dict.fromkeys(account_uid(notification, viewer=viewer) for notification in notifications)
    return serialize_accounts(uids=[*uids])


def account_uid(notification: NotificationView, *, viewer: int) -> int:
    return notification.first_actor.uid if notification.first_actor else viewer


def serialize_notifications(
    *, notifications: Sequence[NotificationView], viewer: int
) -> list[Notification]:
    """Return the notifications in the same order. Runs a constant number of commands.

    Leaves out notifications whose account or status is not visible to the viewer.
    """
    if not notifications:
        return []
    accounts = accounts_by_uid(notifications=notifications, viewer=viewer)
    statuses = statuses_by_id(notifications=notifications, viewer=viewer)
    return [
        _notification(
            notification, accounts[account_uid(notification, viewer=viewer)], statuses, viewer
        )
        for notification in notifications
        if account_uid(notification, viewer=viewer) in accounts
        and status_id(notification) in {None, *statuses}
    ]


def _notification(
    notification: NotificationView, account: Account, statuses: dict[int, Status], viewer: int
) -> Notification:
    result: Any = {
        "id": str(notification.id),
        "type": notification.kind.api_type,
        "group_key": group_key(notification),
        "created_at": format_datetime(notification.created_at),
        "account": account,
        "socialsite": {"kind": notification.kind.name, "is_read": not notification.is_unread},
    }
    if (about_id := status_id(notification)) is not None:
        result["status"] = statuses[about_id]
    if notification.kind.api_type == MODERATION_WARNING:
        result[MODERATION_WARNING] = serialize_warning(notification, account)
    return result  # type: ignore[no-any-return]


def serialize_warning(notification: NotificationView, account: Account) -> AccountWarning:
    return {
        "id": str(notification.target_id or notification.id),
        "action": "none",
        "text": notification.text,
        "status_ids": None,
        "target_account": account,
        "appeal": None,
        "created_at": format_datetime(time_of(id=notification.id)),
    }
