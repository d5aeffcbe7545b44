"""Grouped notifications: https://docs.joinmastodon.org/methods/grouped_notifications/."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NotRequired, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.infra.cursors import parse_id
from notifications.selectors import flat_pages
from notifications.selectors.notification_views import NotificationView
from notifications.services.boxes import dismiss
from notifications.store import boxes
from notifications.store.history import remove_rows
from socialsite.api.notification_types import MODERATION_WARNING

from .notifications import (
    NotificationsInputs,
    TypesField,
    UnreadCount,
    UnreadInputs,
    includes_filtered,
    requested_kinds,
)
from .plumbing.endpoints import ApiRequest, Page, endpoint
from .plumbing.inputs import Inputs
from .serializers.accounts import Account, serialize_account_list
from .serializers.notifications import (
    GROUPED_TYPES,
    AccountWarning,
    account_uid,
    accounts_by_uid,
    group_key,
    kind_names_of_types,
    serialize_warning,
    status_id,
    statuses_by_id,
)
from .serializers.statuses import Status
from .serializers.values import DateTime, EmptyObject, Id, Url, format_datetime

NOTIFICATIONS_PER_GROUP = 3
"""Number of notifications to read for each requested group."""

UNGROUPED_PREFIX = "ungrouped-"


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


class GroupingInputs(Inputs):
    grouped_types = TypesField()

    def validate(self, inputs: dict[str, Any]) -> dict[str, Any]:
        inputs = super().validate(inputs)
        return {**inputs, "grouped_types": inputs["grouped_types"] or list(GROUPED_TYPES)}


class GroupsInputs(NotificationsInputs, GroupingInputs):
    expand_accounts = serializers.ChoiceField(
        choices=["full", "partial_avatars"], required=False, default="full"
    )


class UnreadGroupsInputs(UnreadInputs, GroupingInputs):
    pass


@endpoint("read:notifications", inputs=GroupsInputs, returns=GroupedNotifications)
def list_groups(request: ApiRequest) -> Any:
    """List groups, newest first."""
    inputs = request.inputs
    if not inputs["limit"]:
        return serialize_groups(groups={}, viewer=request.uid, is_page=True)
    page = flat_pages.ungrouped_page(
        viewer=request.uid,
        kinds=requested_kinds(request),
        actor=inputs["account_id"],
        includes_filtered=includes_filtered(request),
        bounds=replace(request.page_bounds, limit=NOTIFICATIONS_PER_GROUP * inputs["limit"]),
    )
    all_groups = group_notifications(
        notifications=page.notifications, grouped_types=inputs["grouped_types"]
    )
    groups, older_cursor, newer_cursor, min_id = all_groups, page.older_cursor, page.newer_cursor, 0
    if len(all_groups) > inputs["limit"]:
        keys = list(all_groups)
        if inputs["min_id"] is not None:
            groups = {key: all_groups[key] for key in keys[-inputs["limit"] :]}
            newer_cursor = next(iter(groups.values()))[0].id
        else:
            groups = {key: all_groups[key] for key in keys[: inputs["limit"]]}
            older_cursor = min_id = list(groups.values())[-1][0].id
    # Some apps request the next page below the ``page_min_id`` of the last group. ``min_id`` limits this
    # bound, so that the next page includes the groups that did not fit on this page.
    results = serialize_groups(groups=groups, viewer=request.uid, is_page=True, min_id=min_id)
    is_whole_list = request.page_bounds.is_first and page.older_cursor is None
    if groups and not is_whole_list:
        _count_whole_groups(request, results)
    if inputs["expand_accounts"] != "full":
        results["partial_accounts"] = []
    return Page(results=results, older_cursor=older_cursor, newer_cursor=newer_cursor)


def _count_whole_groups(request: ApiRequest, results: GroupedNotifications) -> None:
    """Count the notifications of each group that are on other pages, too."""
    inputs = request.inputs
    sizes = {
        key: len(group)
        for key, group in _groups_in_box(request.uid, actor=inputs["account_id"]).items()
        if group[0].kind.api_type in inputs["grouped_types"]
    }
    for group in results["notification_groups"]:
        group["notifications_count"] = max(
            group["notifications_count"], sizes.get(group["group_key"], 0)
        )


@endpoint("read:notifications", inputs=UnreadGroupsInputs, returns=UnreadCount)
def unread_group_count(request: ApiRequest) -> Any:
    """Count groups with unread notifications."""
    inputs = request.inputs
    notifications = flat_pages.unread_notifications(
        viewer=request.uid, kinds=requested_kinds(request), actor=inputs["account_id"]
    )
    groups = group_notifications(notifications=notifications, grouped_types=inputs["grouped_types"])
    return {"count": min(len(groups), inputs["limit"])}


@endpoint("read:notifications", returns=GroupedNotifications)
def show_group(request: ApiRequest, key: str) -> Any:
    """Return a group."""
    return serialize_groups(
        groups={key: _find_group_or_404(request, key)}, viewer=request.uid, is_page=False
    )


@endpoint("write:notifications", returns=EmptyObject)
def dismiss_group(request: ApiRequest, key: str) -> None:
    """Dismiss all notifications of a group. Succeeds even if the group does not exist."""
    with suppress(Http404):
        ids = [notification.id for notification in _find_group_or_404(request, key)]
        if not dismiss(recipient=request.uid, ids=ids):
            remove_rows(recipient=request.uid, ids=ids)


@endpoint("read:notifications", returns=list[Account])
def group_accounts(request: ApiRequest, key: str) -> Any:
    """List the accounts in a group, latest first."""
    uids = dict.fromkeys(
        account_uid(notification, viewer=request.uid)
        for notification in _find_group_or_404(request, key)
    )
    return serialize_account_list(uids=[*uids])


def _find_group_or_404(request: ApiRequest, key: str) -> Group:
    """Return the notifications of a group. Raises Http404 if the group does not exist."""
    viewer = request.uid
    if key.startswith(UNGROUPED_PREFIX):
        row_id = parse_id(key.removeprefix(UNGROUPED_PREFIX))
        notification = (
            None if row_id is None else flat_pages.find_notification(viewer=viewer, row_id=row_id)
        )
        if notification is not None and notification.kind.api_type:
            return [notification]
    if group := _groups_in_box(viewer).get(key):
        return group
    raise Http404("No such group.")


def _groups_in_box(viewer: int, *, actor: int | None = None) -> dict[str, Group]:
    """Return all groups by key. The history contains durable kinds, none of which have a grouped type."""
    kinds = kind_names_of_types(types=GROUPED_TYPES)
    rows = [
        row
        for row in boxes.get(recipient=viewer).recent
        if row.kind in kinds and actor in (None, row.actor)
    ]
    return group_notifications(notifications=flat_pages.ungrouped_views(viewer=viewer, rows=rows))
