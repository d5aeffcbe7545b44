"""What is held of one person: https://docs.joinmastodon.org/entities/NotificationRequest/."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from feed.api.serializers.accounts import Account
from feed.api.serializers.statuses import Status
from feed.api.serializers.values import DateTime, Id, format_datetime
from notifications.selectors.notification_views import NotificationView

from .notifications import account_uid, accounts_by_uid, status_id, statuses_by_id


class NotificationRequest(TypedDict):
    """``id``: that of the account."""

    id: Id
    created_at: DateTime
    updated_at: DateTime
    account: Account
    notifications_count: str
    last_status: NotRequired[Status]


def serialize_requests(
    *, filtered: Sequence[NotificationView], viewer: int
) -> list[NotificationRequest]:
    """One for each person, who was heard of last first. ``held``: the newest first."""
    if not filtered:
        return []
    by_person: dict[int, list[NotificationView]] = {}
    for one in filtered:
        by_person.setdefault(account_uid(one, viewer=viewer), []).append(one)
    accounts = accounts_by_uid(notifications=filtered, viewer=viewer)
    statuses = statuses_by_id(notifications=filtered, viewer=viewer)
    return [
        _request(accounts[uid], of_them, statuses)
        for uid, of_them in by_person.items()
        if uid in accounts
    ]


def _request(
    account: Account, held: list[NotificationView], statuses: dict[int, Status]
) -> NotificationRequest:
    made: Any = {
        "id": account["id"],
        "created_at": format_datetime(held[-1].created_at),
        "updated_at": format_datetime(held[0].created_at),
        "account": account,
        "notifications_count": str(len(held)),
    }
    about = (status for one in held if (status := status_id(one)) in statuses)
    if (last := next(about, None)) is not None:
        made["last_status"] = statuses[last]
    return made  # type: ignore[no-any-return]
