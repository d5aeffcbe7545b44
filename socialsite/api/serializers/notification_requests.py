"""Requests, which contain the filtered notifications of one sender:
https://docs.joinmastodon.org/entities/NotificationRequest/."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from notifications.selectors.notification_views import NotificationView

from .accounts import Account
from .notifications import account_uid, accounts_by_uid, status_id, statuses_by_id
from .statuses import Status
from .values import DateTime, Id, format_datetime


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
