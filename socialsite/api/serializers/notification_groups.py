"""Grouped notifications: https://docs.joinmastodon.org/methods/grouped_notifications/."""

from collections.abc import Collection, Sequence
from typing import Any, NotRequired, TypedDict

from notifications.selectors.notification_views import NotificationView
from socialsite.api.notification_types import MODERATION_WARNING

from .accounts import Account
from .notifications import (
    GROUPED_TYPES,
    AccountWarning,
    account_uid,
    accounts_by_uid,
    group_key,
    serialize_warning,
    status_id,
    statuses_by_id,
)
from .statuses import Status
from .values import DateTime, Id, Url, format_datetime

MAX_SAMPLE_ACCOUNTS = 8
"""Maximum number of accounts that a group lists, the latest actor first."""

Group = list[NotificationView]
"""The notifications of a group, newest first. Never empty."""


class PartialAccount(TypedDict):
    """An abridged account. The site always sends complete accounts instead."""

    id: Id
    acct: str
    url: Url
    avatar: Url
    avatar_static: Url
    locked: bool
    bot: bool


class NotificationGroup(TypedDict):
    group_key: str
    notifications_count: int
    type: str
    most_recent_notification_id: int
    page_min_id: NotRequired[Id]
    page_max_id: NotRequired[Id]
    latest_page_notification_at: NotRequired[DateTime]
    sample_account_ids: list[Id]
    status_id: NotRequired[Id]
    moderation_warning: NotRequired[AccountWarning]


class GroupedNotifications(TypedDict):
    """Groups, and the accounts and statuses to which the groups refer by id."""

    accounts: list[Account]
    partial_accounts: NotRequired[list[PartialAccount]]
    statuses: list[Status]
    notification_groups: list[NotificationGroup]


def group_notifications(
    *, notifications: Sequence[NotificationView], grouped_types: Collection[str] = GROUPED_TYPES
) -> dict[str, Group]:
    """Return groups of notifications by key, newest group first. Expects the newest notification first."""
    groups: dict[str, Group] = {}
    for notification in notifications:
        groups.setdefault(group_key(notification, grouped_types=grouped_types), []).append(
            notification
        )
    return groups


def serialize_groups(
    *, groups: dict[str, Group], viewer: int, is_page: bool, min_id: int = 0
) -> GroupedNotifications:
    """Return the groups with their accounts and statuses, in a constant number of commands.

    Args:
        is_page: whether to add the bounds of each group on the page.
        min_id: lower bound of the page. Notifications with lower ids do not count for these bounds.
    """
    notifications = [notification for group in groups.values() for notification in group]
    sample_notifications = [
        notification for group in groups.values() for notification in group[:MAX_SAMPLE_ACCOUNTS]
    ]
    accounts = (
        accounts_by_uid(notifications=sample_notifications, viewer=viewer)
        if sample_notifications
        else {}
    )
    statuses = statuses_by_id(notifications=notifications, viewer=viewer) if notifications else {}
    visible_groups = {
        key: group for key, group in groups.items() if status_id(group[0]) in {None, *statuses}
    }
    return {
        "accounts": list(accounts.values()),
        "statuses": list(statuses.values()),
        "notification_groups": [
            _group(key, group, accounts, viewer, is_page, min_id)
            for key, group in visible_groups.items()
        ],
    }


def _group(
    key: str, group: Group, accounts: dict[int, Account], viewer: int, is_page: bool, min_id: int
) -> NotificationGroup:
    newest = group[0]
    actors = dict.fromkeys(
        account_uid(notification, viewer=viewer) for notification in group[:MAX_SAMPLE_ACCOUNTS]
    )
    result: Any = {
        "group_key": key,
        "notifications_count": len(group),
        "type": newest.kind.api_type,
        # Mastodon sends this id as a number, and apps in typed languages require a number.
        "most_recent_notification_id": newest.id,
        "sample_account_ids": [str(uid) for uid in actors if uid in accounts],
    }
    if is_page:
        result["page_min_id"] = str(
            min(notification.id for notification in group if notification.id >= min_id)
        )
        result["page_max_id"] = str(newest.id)
        result["latest_page_notification_at"] = format_datetime(newest.created_at)
    if (about_id := status_id(newest)) is not None:
        result["status_id"] = str(about_id)
    if newest.kind.api_type == MODERATION_WARNING and viewer in accounts:
        result[MODERATION_WARNING] = serialize_warning(newest, accounts[viewer])
    return result  # type: ignore[no-any-return]
