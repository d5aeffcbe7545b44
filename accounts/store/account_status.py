"""The reasons why an account is inactive.

    accounts_user {..., is_active, suspended_at, deactivated_at, erase_at}

All other code reads only ``is_active``, which is false exactly while at least one of the reasons is set.
One update writes the reasons and ``is_active``.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from pymongo import ASCENDING

from accounts.infra.store.connection import Document, session

from .collections import users

InactiveReason = Literal["suspended_at", "deactivated_at", "erase_at"]
INACTIVE_REASONS: tuple[InactiveReason, ...] = ("suspended_at", "deactivated_at", "erase_at")


def create_indexes() -> None:
    users().create_index(
        [("erase_at", ASCENDING)], partialFilterExpression={"erase_at": {"$type": "date"}}
    )


def add_reason(*, uid: int, reason: InactiveReason, at: datetime) -> bool:
    """Set a reason. If the reason is already set, keep its time and return False."""
    return _update_status({"_id": uid, reason: None}, {reason: at})


def remove_reason(
    *, uid: int, reason: InactiveReason, only_if_after: datetime | None = None
) -> bool:
    """Remove a reason. Return False if nothing changed.

    Nothing changes if the reason is not set, or if its time is not after ``only_if_after``.
    """
    query: Document = {"_id": uid, reason: {"$type": "date"}}
    if only_if_after is not None:
        query[reason]["$gt"] = only_if_after
    return _update_status(query, {reason: None})


def lock_for_erasure(*, uid: int, at: datetime, password: str) -> bool:
    """Make the erasure irrevocable. Return False if there is no such user.

    Sets ``erase_at`` to ``at`` or an earlier time, so the user can no longer cancel. Replaces the password,
    so the user can no longer log in.
    """
    change = {"erase_at": {"$min": ["$erase_at", at]}, "password": {"$literal": password}}
    _update_status({"_id": uid}, change)
    return users().find_one({"_id": uid}, {"_id": 1}) is not None


def users_to_erase(*, at: datetime) -> Iterator[int]:
    """Yield the uids of users who are due for erasure, the longest overdue first."""
    rows = users().find({"erase_at": {"$type": "date", "$lte": at}}, {"_id": 1})
    for row in rows.sort("erase_at", ASCENDING):
        yield row["_id"]


def _update_status(query: Document, change: Document) -> bool:
    # An unset reason is missing or null. Both sort below every date, so "greater than null" means "set".
    is_inactive = {"$or": [{"$gt": [f"${reason}", None]} for reason in INACTIVE_REASONS]}
    stages = [{"$set": change}, {"$set": {"is_active": {"$not": [is_inactive]}}}]
    return bool(users().update_one(query, stages, session=session()).modified_count)
