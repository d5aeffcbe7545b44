"""The hours of the day at which users are active.

    active_hours  {_id: uid, hours: {"0": weight, ..., "23": weight}}     hours in UTC

A visit counts half as much as a visit four weeks later. Stored weights never change. Instead, new visits
get higher weights ("Forward Decay", Cormode et al., ICDE 2009), so only ratios of weights are meaningful.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from pymongo import UpdateOne

from .collections import active_hours

WEIGHT_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
HALF_LIFE = timedelta(days=28)


def record_active(*, uids: Collection[int], at: datetime) -> None:
    """Record that these users are active in this hour. One command."""
    active_hours().bulk_write(
        [
            UpdateOne({"_id": uid}, {"$inc": {f"hours.{at.hour}": weight(at)}}, upsert=True)
            for uid in uids
        ],
        ordered=False,
    )


def hour_shares(*, uids: Collection[int]) -> tuple[int, list[float]]:
    """Return the number of users with a document, and the share of each hour of the day in their activity.

    Every user has the same share in the result, whatever the number of their visits. One command.
    """
    shares = [0.0] * 24
    rows = list(active_hours().find({"_id": {"$in": list(uids)}}))
    for row in rows:
        total = sum(row["hours"].values()) * len(rows)
        for hour, number in row["hours"].items():
            shares[int(hour)] += number / total
    return len(rows), shares


def delete_user(*, uid: int) -> None:
    active_hours().delete_one({"_id": uid})


def delete_all() -> None:
    active_hours().delete_many({})


def weight(at: datetime) -> float:
    return float(2 ** ((at - WEIGHT_EPOCH) / HALF_LIFE))
