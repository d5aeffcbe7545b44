"""Counters over time: one document per subject, metric and hour, and later one per day.

    stat_hours  {subject, metric, hour, total, minutes: {minute: {second: number}}}
                                                         unique (subject, metric, hour)
    stat_days   {subject, metric, day, total}                          unique (subject, metric, day)

The design is from "Schema Design for Time Series Data in MongoDB" (MongoDB blog, 2013). ``minutes`` nests
the seconds in their minutes, so that the server skips at most 59 + 59 fields to find a second, instead of
3,599. ``drop_minutes`` removes ``minutes`` after two days. ``roll_up`` turns hours into days after 90 days.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from pymongo import ASCENDING, UpdateOne
from pymongo.errors import BulkWriteError

from accounts.infra.store.connection import Document, session
from accounts.infra.transactions import BACKGROUND_ATTEMPTS, duplicate_key_indexes, transactional

from .collections import stat_days, stat_hours

Subject = int | str
"""The id of a post, a uid, a hashtag with its sign, ``"site"``, or a cohort."""

EventKey = tuple[Subject, str, datetime]
"""Subject, metric, and the second of the event."""

Unit = Literal["hour", "day", "month"]


def create_indexes() -> None:
    stat_hours().create_index(
        [("subject", ASCENDING), ("metric", ASCENDING), ("hour", ASCENDING)], unique=True
    )
    # ``roll_up`` and ``tags.trending_tags`` read the hours of one metric for all subjects.
    stat_hours().create_index([("metric", ASCENDING), ("hour", ASCENDING)])
    stat_hours().create_index(
        [("hour", ASCENDING)],
        name="with_minutes",
        partialFilterExpression={"minutes": {"$exists": True}},
    )
    stat_days().create_index(
        [("subject", ASCENDING), ("metric", ASCENDING), ("day", ASCENDING)], unique=True
    )


def add_counts(*, counts: Mapping[EventKey, int]) -> None:
    """Add numbers of events, which may be negative. One bulk command."""
    raises: dict[tuple[Subject, str, datetime], Counter[str]] = defaultdict(Counter)
    for (subject, metric, at), number in counts.items():
        fields = raises[subject, metric, start_of_hour(at)]
        fields["total"] += number
        fields[f"minutes.{at.minute}.{at.second}"] += number
    updates = [
        UpdateOne(
            {"subject": subject, "metric": metric, "hour": hour},
            {"$inc": dict(fields)},
            upsert=True,
        )
        for (subject, metric, hour), fields in raises.items()
    ]
    while updates:
        try:
            stat_hours().bulk_write(updates, ordered=False)
            return
        except BulkWriteError as error:
            # Another process inserted the same document at this moment. Repeat the updates that failed.
            updates = [updates[place] for place in duplicate_key_indexes(error)]


def by_minute(
    *, subjects: Collection[Subject], metrics: Collection[str], since: datetime
) -> Counter[tuple[str, datetime]]:
    """Return the number of events of all ``subjects`` by metric and minute. One command.

    Minutes are available for two days.
    """
    numbers: Counter[tuple[str, datetime]] = Counter()
    query = _query(subjects, metrics) | {"hour": {"$gte": start_of_hour(since)}}
    for row in stat_hours().find(query, {"_id": 0, "metric": 1, "hour": 1, "minutes": 1}):
        for minute, seconds in row.get("minutes", {}).items():
            at = row["hour"].replace(tzinfo=UTC, minute=int(minute))
            if at >= since:
                numbers[row["metric"], at] += sum(seconds.values())
    return numbers


def by_unit(
    *,
    subjects: Collection[Subject],
    metrics: Collection[str],
    since: datetime,
    unit: Unit,
) -> Counter[tuple[str, datetime]]:
    """Return the number of events of all ``subjects`` by metric and unit, in UTC. One command.

    ``since``: the start of an hour.
    """
    key = {"metric": "$metric", "at": {"$dateTrunc": {"date": "$hour", "unit": unit}}}
    rows = _totals(_query(subjects, metrics), since, key=key, with_days=unit != "hour")
    return Counter(
        {(row["_id"]["metric"], row["_id"]["at"].replace(tzinfo=UTC)): row["total"] for row in rows}
    )


def by_subject(*, subjects: Collection[Subject], metric: str, since: datetime) -> Counter[Subject]:
    """Return the number of events of each subject since ``since``, the start of an hour. One command."""
    rows = _totals(_query(subjects, [metric]), since, key="$subject", with_days=True)
    return Counter({row["_id"]: row["total"] for row in rows})


def by_subject_and_hour(
    *, subjects: Collection[Subject], metric: str, since: datetime
) -> dict[Subject, dict[datetime, int]]:
    """Return the number of events of each subject by hour. One command."""
    numbers: dict[Subject, dict[datetime, int]] = defaultdict(dict)
    query = _query(subjects, [metric]) | {"hour": {"$gte": since}}
    for row in stat_hours().find(query, {"_id": 0, "subject": 1, "hour": 1, "total": 1}):
        numbers[row["subject"]][row["hour"].replace(tzinfo=UTC)] = row["total"]
    return numbers


def drop_minutes(*, before: datetime, limit: int) -> int:
    """Remove ``minutes`` from up to ``limit`` hours before ``before``. Return the number of changed hours.

    The totals stay. A process that stops midway does no harm, and a later call continues. Two commands.
    """
    query = {"minutes": {"$exists": True}, "hour": {"$lt": before}}
    rows = stat_hours().find(query, {"_id": 1}).sort("hour").limit(limit)
    ids = [row["_id"] for row in rows]
    if ids:
        stat_hours().update_many({"_id": {"$in": ids}}, {"$unset": {"minutes": ""}})
    return len(ids)


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def roll_up(*, metric: str, before: datetime, limit: int) -> int:
    """Merge up to ``limit`` hours before ``before`` into days. Return the number of merged hours.

    Three commands in one transaction, so that each event is in exactly one of the two collections even if
    the process dies.
    """
    query = {"metric": metric, "hour": {"$lt": before}}
    fields = {"subject": 1, "hour": 1, "total": 1}
    rows = list(stat_hours().find(query, fields, session=session()).sort("hour").limit(limit))
    if not rows:
        return 0
    totals: Counter[tuple[Subject, datetime]] = Counter()
    for row in rows:
        totals[row["subject"], row["hour"].replace(hour=0)] += row["total"]
    stat_days().bulk_write(
        [
            UpdateOne(
                {"subject": subject, "metric": metric, "day": day},
                {"$inc": {"total": total}},
                upsert=True,
            )
            for (subject, day), total in totals.items()
        ],
        ordered=False,
        session=session(),
    )
    stat_hours().delete_many({"_id": {"$in": [row["_id"] for row in rows]}}, session=session())
    return len(rows)


def insert_hours(*, totals: Mapping[tuple[Subject, str, datetime], int]) -> None:
    """Insert past hours without ``minutes``. The hours must not be stored yet."""
    documents = [
        {"subject": subject, "metric": metric, "hour": hour, "total": total}
        for (subject, metric, hour), total in totals.items()
    ]
    if documents:
        stat_hours().insert_many(documents, ordered=False)


def delete_subjects(*, subjects: Sequence[Subject]) -> None:
    stat_hours().delete_many({"subject": {"$in": list(subjects)}})
    stat_days().delete_many({"subject": {"$in": list(subjects)}})


def start_of_day(moment: datetime) -> datetime:
    return start_of_hour(moment).replace(hour=0)


def delete_metrics(*, metrics: Collection[str]) -> None:
    """Delete the counters of these metrics for all subjects."""
    stat_hours().delete_many({"metric": {"$in": list(metrics)}})
    stat_days().delete_many({"metric": {"$in": list(metrics)}})


def start_of_hour(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def _totals(
    query: Document, since: datetime, *, key: Document | str, with_days: bool
) -> Iterable[Document]:
    """Return ``{_id, total}`` for each value of ``key``, from the hours and perhaps the days."""
    pipeline: list[Document] = [{"$match": query | {"hour": {"$gte": since}}}]
    if with_days:
        days = [{"$match": query | {"day": {"$gte": since}}}, {"$set": {"hour": "$day"}}]
        pipeline.append({"$unionWith": {"coll": stat_days().name, "pipeline": days}})
    group = {"_id": key, "total": {"$sum": "$total"}}
    return stat_hours().aggregate([*pipeline, {"$group": group}])


def _query(subjects: Collection[Subject], metrics: Collection[str]) -> Document:
    """Return the query for these subjects and metrics.

    A single subject or metric is matched by equality, so that a sharded cluster asks only one shard.
    """
    subject, *others = subjects
    metric, *more = metrics
    return {
        "subject": {"$in": list(subjects)} if others else subject,
        "metric": {"$in": list(metrics)} if more else metric,
    }
