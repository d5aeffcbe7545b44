"""Requests: the filtered notifications of one sender, which the user accepts or dismisses."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from django.http import Http404

from accounts.infra.ids import MAX_ID
from notifications.selectors.flat_pages import filtered_notifications
from notifications.selectors.notification_views import NotificationView
from notifications.services.boxes import accept_filtered_from, dismiss_filtered_from

from .account_lists import AccountPageInputs
from .plumbing.endpoints import ApiRequest, Page, endpoint
from .plumbing.inputs import IdListField, Inputs
from .serializers.accounts import Account
from .serializers.notifications import (
    account_uid,
    accounts_by_uid,
    kind_names_of_types,
    status_id,
    statuses_by_id,
)
from .serializers.statuses import Status
from .serializers.values import EMPTY_OBJECT, DateTime, EmptyObject, Id, format_datetime


class NotificationRequest(TypedDict):
    """``id`` is the id of the account."""

    id: Id
    created_at: DateTime
    updated_at: DateTime
    account: Account
    notifications_count: str
    last_status: NotRequired[Status]


def serialize_requests(
    *, filtered: Sequence[NotificationView], viewer: int
) -> list[NotificationRequest]:
    """Return one request per sender, latest first. ``filtered`` is newest first."""
    if not filtered:
        return []
    notifications_by_uid: dict[int, list[NotificationView]] = {}
    for notification in filtered:
        notifications_by_uid.setdefault(account_uid(notification, viewer=viewer), []).append(
            notification
        )
    accounts = accounts_by_uid(notifications=filtered, viewer=viewer)
    statuses = statuses_by_id(notifications=filtered, viewer=viewer)
    return [
        _request(accounts[uid], notifications, statuses)
        for uid, notifications in notifications_by_uid.items()
        if uid in accounts
    ]


def _request(
    account: Account, notifications: list[NotificationView], statuses: dict[int, Status]
) -> NotificationRequest:
    request: Any = {
        "id": account["id"],
        "created_at": format_datetime(notifications[-1].created_at),
        "updated_at": format_datetime(notifications[0].created_at),
        "account": account,
        "notifications_count": str(len(notifications)),
    }
    status_ids = (
        status for notification in notifications if (status := status_id(notification)) in statuses
    )
    if (last_status_id := next(status_ids, None)) is not None:
        request["last_status"] = statuses[last_status_id]
    return request  # type: ignore[no-any-return]


class MergedState(TypedDict):
    merged: bool


class RequestIdsInputs(Inputs):
    id = IdListField(max_length=100)


@endpoint("read:notifications", inputs=AccountPageInputs, returns=list[NotificationRequest])
def list_requests(request: ApiRequest) -> Any:
    """List the senders of filtered notifications, latest first.

    The cursor of a sender is the id of the newest notification from this sender.
    """
    inputs = request.inputs
    notifications = filtered_notifications(viewer=request.uid, kinds=kind_names_of_types())
    newest_ids: dict[int, int] = {}
    for notification in notifications:
        newest_ids.setdefault(_actor_uid(notification), notification.id)
    is_ascending = inputs["min_id"] is not None
    above = inputs["min_id"] if is_ascending else inputs["since_id"] or 0
    below = MAX_ID + 1 if inputs["max_id"] is None else inputs["max_id"]
    matching_uids = [uid for uid, newest_id in newest_ids.items() if above < newest_id < below]
    limit = inputs["limit"]
    uids = matching_uids[-limit:] if is_ascending else matching_uids[:limit]
    requests = serialize_requests(
        filtered=[
            notification for notification in notifications if _actor_uid(notification) in uids
        ],
        viewer=request.uid,
    )
    is_cut = len(matching_uids) > len(uids)
    first, last = (newest_ids[uids[0]], newest_ids[uids[-1]]) if uids else (None, None)
    if is_ascending:
        older = min(MAX_ID, above + 1) if last is None else last
        return Page(results=requests, older_cursor=older, newer_cursor=first if is_cut else None)
    if first is None and inputs["max_id"] is not None:
        first = max(0, below - 1)
    return Page(results=requests, older_cursor=last if is_cut else None, newer_cursor=first)


@endpoint("read:notifications", returns=NotificationRequest)
def show_request(request: ApiRequest, uid: int) -> Any:
    """Return the filtered notifications of one sender."""
    notifications = filtered_notifications(viewer=request.uid, kinds=kind_names_of_types())
    sender_notifications = [
        notification for notification in notifications if _actor_uid(notification) == uid
    ]
    for notification_request in serialize_requests(
        filtered=sender_notifications, viewer=request.uid
    ):
        return notification_request
    raise Http404("No filtered notifications from this user.")


@endpoint("write:notifications", returns=EmptyObject)
def accept_request(request: ApiRequest, uid: int) -> Any:
    """Accept one sender's filtered notifications. Later notifications are filtered again."""
    accept_filtered_from(recipient=request.uid, actor=uid)
    return EMPTY_OBJECT


@endpoint("write:notifications", returns=EmptyObject)
def dismiss_request(request: ApiRequest, uid: int) -> Any:
    """Dismiss one sender's filtered notifications."""
    dismiss_filtered_from(recipient=request.uid, actor=uid)
    return EMPTY_OBJECT


@endpoint("write:notifications", inputs=RequestIdsInputs, returns=EmptyObject)
def accept_requests(request: ApiRequest) -> Any:
    """Accept several senders' filtered notifications."""
    for uid in dict.fromkeys(request.inputs["id"]):
        accept_filtered_from(recipient=request.uid, actor=uid)
    return EMPTY_OBJECT


@endpoint("write:notifications", inputs=RequestIdsInputs, returns=EmptyObject)
def dismiss_requests(request: ApiRequest) -> Any:
    """Dismiss several senders' filtered notifications."""
    for uid in dict.fromkeys(request.inputs["id"]):
        dismiss_filtered_from(recipient=request.uid, actor=uid)
    return EMPTY_OBJECT


@endpoint("read:notifications", returns=MergedState)
def show_merged_state(request: ApiRequest) -> Any:
    """Return true, because the site merges accepted notifications immediately."""
    return {"merged": True}


def _actor_uid(notification: NotificationView) -> int:
    return notification.first_actor.uid if notification.first_actor else 0
