"""What one was told, with those of one thing in one group."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import Inputs
from accounts.infra.api.pages import Page
from accounts.infra.paging import parse_id
from feed.api.serializers.accounts import Account
from feed.api.serializers.accounts import serialize_account_list as listed_accounts
from feed.api.serializers.values import EMPTY_OBJECT, EmptyObject
from notifications.api.serializers.groups import GroupedNotifications, serialize_groups
from notifications.api.serializers.notifications import kind_names_of_types
from notifications.selectors.ungrouped import (
    find_notification,
    recent_rows,
    ungrouped_page,
    ungrouped_views,
    unread_notifications,
)
from notifications.services.boxes import dismiss, remove_from_history

from .notifications import (
    NotificationsInputs,
    TypesField,
    UnreadCount,
    UnreadInputs,
    includes_filtered,
    requested_kinds,
)
from .serializers.groups import Group, group_notifications
from .serializers.notifications import GROUPED_TYPES, account_uid

NOTIFICATIONS_PER_GROUP = 3
"""Of so many times as many notifications as groups are wanted groups are made."""

UNGROUPED_PREFIX = "ungrouped-"


class GroupingInputs(Inputs):
    grouped_types = TypesField()

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        given = super().validate(given)
        return {**given, "grouped_types": given["grouped_types"] or list(GROUPED_TYPES)}


class GroupsInputs(NotificationsInputs, GroupingInputs):
    expand_accounts = serializers.ChoiceField(
        choices=["full", "partial_avatars"], required=False, default="full"
    )


class UnreadGroupsInputs(UnreadInputs, GroupingInputs):
    pass


@endpoint("read:notifications", inputs=GroupsInputs, returns=GroupedNotifications)
def list_groups(request: ApiRequest) -> Any:
    """What one was told, the newest group first."""
    given = request.inputs
    window = {**request.page_bounds, "limit": NOTIFICATIONS_PER_GROUP * given["limit"]}
    page = ungrouped_page(
        viewer=request.uid,
        kinds=requested_kinds(request),
        actor=given["account_id"],
        includes_filtered=includes_filtered(request),
        **window,
    )
    every = group_notifications(
        notifications=page.notifications, grouped_types=given["grouped_types"]
    )
    shown, older, newer, lowest = every, page.older_cursor, page.newer_cursor, 0
    if len(every) > given["limit"]:
        keys = list(every)
        if given["min_id"] is not None:
            shown = {key: every[key] for key in keys[-given["limit"] :]}
            newer = next(iter(shown.values()))[0].id
        else:
            shown = {key: every[key] for key in keys[: given["limit"]]}
            older = lowest = list(shown.values())[-1][0].id
    # Some apps go on below the ``page_min_id`` of the last group: what was cut off must be there.
    made = serialize_groups(groups=shown, viewer=request.uid, is_page=True, min_id=lowest)
    if given["expand_accounts"] != "full":
        made["partial_accounts"] = []
    return Page(results=made, older_cursor=older, newer_cursor=newer)


@endpoint("read:notifications", inputs=UnreadGroupsInputs, returns=UnreadCount)
def unread_group_count(request: ApiRequest) -> Any:
    """How many groups have something that one has not seen."""
    given = request.inputs
    found = unread_notifications(
        viewer=request.uid, kinds=requested_kinds(request), actor=given["account_id"]
    )
    groups = group_notifications(notifications=found, grouped_types=given["grouped_types"])
    return {"count": min(len(groups), given["limit"])}


@endpoint("read:notifications", returns=GroupedNotifications)
def show_group(request: ApiRequest, key: str) -> Any:
    """One group."""
    return serialize_groups(groups={key: _found(request, key)}, viewer=request.uid, is_page=False)


@endpoint("write:notifications", returns=EmptyObject)
def dismiss_group(request: ApiRequest, key: str) -> Any:
    """All of one group go; so it is with what is not there."""
    try:
        ids = [one.id for one in _found(request, key)]
    except Http404:
        return EMPTY_OBJECT
    if not dismiss(recipient=request.uid, ids=ids):
        remove_from_history(recipient=request.uid, ids=ids)
    return EMPTY_OBJECT


@endpoint("read:notifications", returns=list[Account])
def group_accounts(request: ApiRequest, key: str) -> Any:
    """Everybody who is in one group, the last first."""
    uids = dict.fromkeys(account_uid(one, viewer=request.uid) for one in _found(request, key))
    return listed_accounts(uids=[*uids])


def _found(request: ApiRequest, key: str) -> Group:
    """Raises Http404 if there is no such group."""
    reader = request.uid
    if key.startswith(UNGROUPED_PREFIX):
        own = parse_id(key.removeprefix(UNGROUPED_PREFIX))
        one = None if own is None else find_notification(viewer=reader, row_id=own)
        if one is not None and one.kind.api_type:
            return [one]
    # What is grouped is in the box; the history has none of it.
    items = recent_rows(viewer=reader)
    kinds = kind_names_of_types(types=GROUPED_TYPES)
    told = ungrouped_views(viewer=reader, rows=[one for one in items if one.kind in kinds])
    if found := group_notifications(notifications=told).get(key):
        return found
    raise Http404("No such group.")
