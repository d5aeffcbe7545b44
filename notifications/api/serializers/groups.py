"""Many notifications as one: https://docs.joinmastodon.org/methods/grouped_notifications/."""

from collections.abc import Collection, Sequence
from typing import Any, NotRequired, TypedDict

from feed.api.serializers.accounts import Account
from feed.api.serializers.statuses import Status
from feed.api.serializers.values import DateTime, Id, Url, format_datetime
from notifications.selectors.notification_views import NotificationView

from .notifications import (
    GROUPED_TYPES,
    MODERATION_WARNING,
    AccountWarning,
    account_uid,
    accounts_by_uid,
    group_key,
    serialize_warning,
    status_id,
    statuses_by_id,
)

MAX_SAMPLE_ACCOUNTS = 8
"""Of those who did it so many are named, the last first."""

Group = list[NotificationView]
"""The newest first; never empty."""


class PartialAccount(TypedDict):
    """Who is not described wholly: here everybody is, so there is none."""

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
    """Each account and status once; groups name them by id."""

    accounts: list[Account]
    partial_accounts: NotRequired[list[PartialAccount]]
    statuses: list[Status]
    notification_groups: list[NotificationGroup]


def group_notifications(
    *, notifications: Sequence[NotificationView], grouped_types: Collection[str] = GROUPED_TYPES
) -> dict[str, Group]:
    """By their keys, the group with the newest first. ``told``: the newest first."""
    found: dict[str, Group] = {}
    for one in notifications:
        found.setdefault(group_key(one, grouped_types=grouped_types), []).append(one)
    return found


def serialize_groups(
    *, groups: dict[str, Group], viewer: int, is_page: bool, min_id: int = 0
) -> GroupedNotifications:
    """``is_page``: whether they are part of a list, which goes on below the id ``lowest``. As many commands
    as one notification costs."""
    told = [one for group in groups.values() for one in group]
    named = [one for group in groups.values() for one in group[:MAX_SAMPLE_ACCOUNTS]]
    accounts = accounts_by_uid(notifications=named, viewer=viewer) if named else {}
    statuses = statuses_by_id(notifications=told, viewer=viewer) if told else {}
    there = {
        key: group for key, group in groups.items() if status_id(group[0]) in {None, *statuses}
    }
    return {
        "accounts": list(accounts.values()),
        "statuses": list(statuses.values()),
        "notification_groups": [
            _group(key, group, accounts, viewer, is_page, min_id) for key, group in there.items()
        ],
    }


def _group(
    key: str, group: Group, accounts: dict[int, Account], reader: int, is_page: bool, lowest: int
) -> NotificationGroup:
    newest = group[0]
    actors = dict.fromkeys(account_uid(one, viewer=reader) for one in group[:MAX_SAMPLE_ACCOUNTS])
    made: Any = {
        "group_key": key,
        "notifications_count": len(group),
        "type": newest.kind.api_type,
        # A number, as Mastodon sends it: apps are written in strict languages.
        "most_recent_notification_id": newest.id,
        "sample_account_ids": [str(uid) for uid in actors if uid in accounts],
    }
    if is_page:
        made["page_min_id"] = str(min(one.id for one in group if one.id >= lowest))
        made["page_max_id"] = str(newest.id)
        made["latest_page_notification_at"] = format_datetime(newest.created_at)
    if (about := status_id(newest)) is not None:
        made["status_id"] = str(about)
    if newest.kind.api_type == MODERATION_WARNING and reader in accounts:
        made[MODERATION_WARNING] = serialize_warning(newest, accounts[reader])
    return made  # type: ignore[no-any-return]
