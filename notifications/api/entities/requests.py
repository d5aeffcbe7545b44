"""What is held of one person: https://docs.joinmastodon.org/entities/NotificationRequest/."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from feed.api.entities import Account, Status, at
from feed.api.entities.values import Id, Moment
from notifications import selectors

from .notifications import actor_of, people_in, status_id, statuses_about


class NotificationRequest(TypedDict):
    """``id``: that of the account."""

    id: Id
    created_at: Moment
    updated_at: Moment
    account: Account
    notifications_count: str
    last_status: NotRequired[Status]


def requests_of(
    *, held: Sequence[selectors.Notification], reader: int
) -> list[NotificationRequest]:
    """One for each person, who was heard of last first. ``held``: the newest first."""
    if not held:
        return []
    by_person: dict[int, list[selectors.Notification]] = {}
    for one in held:
        by_person.setdefault(actor_of(one, reader=reader), []).append(one)
    accounts = people_in(told=held, reader=reader)
    statuses = statuses_about(told=held, reader=reader)
    return [
        _request(accounts[uid], of_them, statuses)
        for uid, of_them in by_person.items()
        if uid in accounts
    ]


def _request(
    account: Account, held: list[selectors.Notification], statuses: dict[int, Status]
) -> NotificationRequest:
    made: Any = {
        "id": account["id"],
        "created_at": at(held[-1].at),
        "updated_at": at(held[0].at),
        "account": account,
        "notifications_count": str(len(held)),
    }
    about = (status for one in held if (status := status_id(one)) in statuses)
    if (last := next(about, None)) is not None:
        made["last_status"] = statuses[last]
    return made  # type: ignore[no-any-return]
