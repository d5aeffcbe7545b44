"""The hours of the day at which users are active.

    active_hours  {_id: uid, hours: {"0": weight, ..., "23": weight}}     hours in UTC

A visit counts half as much as a visit four weeks later. Stored weights never change. Instead, new visits
get higher weights ("Forward Decay", Cormode et al., ICDE 2009), so only ratios of weights are meaningful.
"""

from collections import defaultdict
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


def hour_weights(*, uids: Collection[int], at: datetime) -> tuple[int, list[float]]:
    """Return the number of users with a document, and the sum of their weights for each of the 24 hours.

    The weights are relative to ``at``: 1.0 is one visit at this time. One command.
    """
    weights: dict[int, float] = defaultdict(float)
    known = 0
    for row in active_hours().find({"_id": {"$in": list(uids)}}):
        known += 1
        for hour, number in row["hours"].items():
            weights[int(hour)] += number
    return known, [weights[hour] / weight(at) for hour in range(24)]


def delete_user(*, uid: int) -> None:
    active_hours().delete_one({"_id": uid})


def delete_all() -> None:
    active_hours().delete_many({})


def weight(at: datetime) -> float:
    return float(2 ** ((at - WEIGHT_EPOCH) / HALF_LIFE))
