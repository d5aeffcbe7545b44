"""Why somebody is not there for others.

    accounts_user {..., is_active, suspended_at, deactivated_at, erase_at}

``is_active`` is what everything else asks; it is written in one step with the reasons, and is false exactly
while there is one.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from pymongo import ASCENDING

from .collections import Document, session, users

InactiveReason = Literal["suspended_at", "deactivated_at", "erase_at"]
INACTIVE_REASONS: tuple[InactiveReason, ...] = ("suspended_at", "deactivated_at", "erase_at")


def create_indexes() -> None:
    users().create_index(
        [("erase_at", ASCENDING)], partialFilterExpression={"erase_at": {"$type": "date"}}
    )


def add_reason(*, uid: int, reason: InactiveReason, at: datetime) -> bool:
    """False if it is closed for this reason already: then the moment stays."""
    return _change({"_id": uid, reason: None}, {reason: at})


def remove_reason(
    *, uid: int, reason: InactiveReason, only_if_after: datetime | None = None
) -> bool:
    """This is no reason any more; False if it was none. ``unless_before``: nor if its moment was
    before."""
    where: Document = {"_id": uid, reason: {"$type": "date"}}
    if only_if_after is not None:
        where[reason]["$gt"] = only_if_after
    return _change(where, {reason: None})


def lock_for_erasure(*, uid: int, at: datetime, password: str) -> bool:
    """From now on nobody can keep it or log in to it. False if there is no such person."""
    change = {"erase_at": {"$min": ["$erase_at", at]}, "password": {"$literal": password}}
    _change({"_id": uid}, change)
    return users().find_one({"_id": uid}, {"_id": 1}) is not None


def users_to_erase(*, at: datetime) -> Iterator[int]:
    """Who is to be erased, the longest waiting first."""
    found = users().find({"erase_at": {"$type": "date", "$lte": at}}, {"_id": 1})
    for one in found.sort("erase_at", ASCENDING):
        yield one["_id"]


def _change(where: Document, change: Document) -> bool:
    # A reason that was never given is missing or null: both are below every moment.
    is_closed = {"$or": [{"$gt": [f"${reason}", None]} for reason in INACTIVE_REASONS]}
    stages = [{"$set": change}, {"$set": {"is_active": {"$not": [is_closed]}}}]
    return bool(users().update_one(where, stages, session=session()).modified_count)
