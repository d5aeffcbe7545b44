"""Six designs for counters over time, for the stage ``minutes``.

    events          {subject, at}                                      one document per event
    minute_sums     {subject, minute, sum, count}                      one document per subject and minute
    minute_seconds  {subject, minute, total, seconds: {s: n}}
    hour_flat       {subject, hour, total, seconds: {s: n}}            s from 0 to 3599
    hour_nested     {subject, hour, total, minutes: {m: {s: n}}}
    time_series     {subject, at, n} in MongoDB's time-series collection

``s`` is a second, ``m`` is a minute, and ``n`` is a number of events.

The first five designs are from "Schema Design for Time Series Data in MongoDB" (MongoDB blog, 2013). The
last design is from the chapter on time-series collections in MongoDB's manual. Arguments and results state
times in seconds since the start of a day.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from .database import Document, connection

HOUR_SECONDS = 3600
DAY_SECONDS = 86_400
MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)

Counts = Mapping[tuple[int, int], int]
"""Number of events by subject and second of the day."""


class CounterDesign(Protocol):
    collections: list[str]

    def prepare(self) -> None: ...

    def write(self, *, counts: Counts) -> None:
        """Add a batch of events with one command."""

    def repeat_write(self, *, subject: int, second: int, times: int) -> None:
        """Write the same event ``times`` times with one command. Do not combine the events."""

    def minutes_of_hour(self, *, subject: int, hour: int) -> list[int]:
        """Return the number of events in each of the 60 minutes."""

    def hours_of_day(self, *, subject: int) -> list[int]:
        """Return the number of events in each of the 24 hours."""

    def count_examined(self, *, subject: int, start: int, seconds: int) -> int:
        """Return the number of documents that the server examines to read ``seconds`` from ``start``."""


def counter_designs() -> dict[str, CounterDesign]:
    return {
        "events": Events(),
        "minute_sums": MinuteSums(),
        "minute_seconds": MinuteSeconds(),
        "hour_flat": HourFlat(),
        "hour_nested": HourNested(),
        "time_series": TimeSeries(),
    }


class InsertDesign:
    """Base class of designs that insert a document for each event. Reads add the events up."""

    name: str

    def write(self, *, counts: Counts) -> None:
        self._insert(
            document
            for (subject, at), n in counts.items()
            for document in self._new(subject, at, n)
        )

    def repeat_write(self, *, subject: int, second: int, times: int) -> None:
        self._insert(document for _ in range(times) for document in self._new(subject, second, 1))

    def minutes_of_hour(self, *, subject: int, hour: int) -> list[int]:
        return self._sums(subject, hour * HOUR_SECONDS, 60, 60)

    def hours_of_day(self, *, subject: int) -> list[int]:
        return self._sums(subject, 0, HOUR_SECONDS, 24)

    def count_examined(self, *, subject: int, start: int, seconds: int) -> int:
        return count_documents_examined(self.name, [self._span(subject, start, seconds)])

    def _new(self, subject: int, second: int, n: int) -> list[Document]:
        raise NotImplementedError

    def _insert(self, documents: Iterable[Document]) -> None:
        connection.database[self.name].insert_many(list(documents), ordered=False)

    def _sums(self, subject: int, start: int, width: int, number: int) -> list[int]:
        elapsed = {"$dateDiff": {"startDate": time_at(start), "endDate": "$at", "unit": "second"}}
        place = {"$floor": {"$divide": [elapsed, width]}}
        rows = connection.database[self.name].aggregate(
            [
                self._span(subject, start, width * number),
                {"$group": {"_id": place, "n": {"$sum": {"$ifNull": ["$n", 1]}}}},
            ]
        )
        sums = {int(row["_id"]): row["n"] for row in rows}
        return [sums.get(place, 0) for place in range(number)]

    def _span(self, subject: int, start: int, seconds: int) -> Document:
        return {
            "$match": {
                "subject": subject,
                "at": {"$gte": time_at(start), "$lt": time_at(start + seconds)},
            }
        }


class Events(InsertDesign):
    name = "minutes_events"
    collections = [name]

    def prepare(self) -> None:
        connection.database[self.name].create_index([("subject", 1), ("at", 1)])

    def _new(self, subject: int, second: int, n: int) -> list[Document]:
        return [{"subject": subject, "at": time_at(second)} for _ in range(n)]


class TimeSeries(InsertDesign):
    name = "minutes_series"
    collections = [f"system.buckets.{name}"]

    def prepare(self) -> None:
        options = {"timeField": "at", "metaField": "subject", "granularity": "seconds"}
        connection.database.create_collection(self.name, timeseries=options)
        connection.database[self.name].create_index([("subject", 1), ("at", 1)])

    def _new(self, subject: int, second: int, n: int) -> list[Document]:
        return [{"subject": subject, "at": time_at(second), "n": n}]


class UpdateDesign:
    """Base class of designs with one document for each subject and period of ``width`` seconds.

    Writes increment counters in the document.
    """

    name: str
    width: int
    total = "total"

    def prepare(self) -> None:
        connection.database[self.name].create_index([("subject", 1), ("at", 1)], unique=True)

    def write(self, *, counts: Counts) -> None:
        increments: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        for (subject, second), n in counts.items():
            period, rest = divmod(second, self.width)
            increments[subject, period][self.total] += n
            for path in self._paths(rest):
                increments[subject, period][path] += n
        self._update(
            (subject, period, dict(fields)) for (subject, period), fields in increments.items()
        )

    def repeat_write(self, *, subject: int, second: int, times: int) -> None:
        period, rest = divmod(second, self.width)
        fields = dict.fromkeys([self.total, *self._paths(rest)], 1)
        self._update((subject, period, fields) for _ in range(times))

    def count_examined(self, *, subject: int, start: int, seconds: int) -> int:
        return count_documents_examined(
            self.name, [{"$match": self._span(subject, start, seconds)}]
        )

    def _paths(self, rest: int) -> list[str]:
        raise NotImplementedError

    def _update(self, updates: Iterable[tuple[int, int, Document]]) -> None:
        statements = [
            {
                "q": {"subject": subject, "at": time_at(period * self.width)},
                "u": {"$inc": fields},
                "upsert": True,
            }
            for subject, period, fields in updates
        ]
        connection.database.command("update", self.name, updates=statements, ordered=False)

    def _span(self, subject: int, start: int, seconds: int) -> Document:
        return {"subject": subject, "at": {"$gte": time_at(start), "$lt": time_at(start + seconds)}}

    def _totals(self, subject: int, start: int, seconds: int) -> Counter[int]:
        """Return the totals of the documents in a span, by the first second of each document."""
        fields = {"_id": 0, "at": 1, self.total: 1}
        rows = connection.database[self.name].find(self._span(subject, start, seconds), fields)
        return Counter({second_of_day(row["at"]): row[self.total] for row in rows})


class PerMinute(UpdateDesign):
    width = 60

    def minutes_of_hour(self, *, subject: int, hour: int) -> list[int]:
        totals = self._totals(subject, hour * HOUR_SECONDS, HOUR_SECONDS)
        return [totals[hour * HOUR_SECONDS + minute * 60] for minute in range(60)]

    def hours_of_day(self, *, subject: int) -> list[int]:
        hours: Counter[int] = Counter()
        for second, n in self._totals(subject, 0, DAY_SECONDS).items():
            hours[second // HOUR_SECONDS] += n
        return [hours[hour] for hour in range(24)]


class MinuteSums(PerMinute):
    name = "minutes_sums"
    collections = [name]
    total = "sum"

    def _paths(self, rest: int) -> list[str]:
        return ["count"]


class MinuteSeconds(PerMinute):
    name = "minutes_seconds"
    collections = [name]

    def _paths(self, rest: int) -> list[str]:
        return [f"seconds.{rest}"]


class PerHour(UpdateDesign):
    width = HOUR_SECONDS

    def hours_of_day(self, *, subject: int) -> list[int]:
        totals = self._totals(subject, 0, DAY_SECONDS)
        return [totals[hour * HOUR_SECONDS] for hour in range(24)]

    def minutes_of_hour(self, *, subject: int, hour: int) -> list[int]:
        query = {"subject": subject, "at": time_at(hour * HOUR_SECONDS)}
        document = connection.database[self.name].find_one(query)
        return self._minutes(document or {})

    def _minutes(self, document: Document) -> list[int]:
        raise NotImplementedError


class HourFlat(PerHour):
    name = "minutes_flat"
    collections = [name]

    def _paths(self, rest: int) -> list[str]:
        return [f"seconds.{rest}"]

    def _minutes(self, document: Document) -> list[int]:
        minutes: Counter[int] = Counter()
        for second, n in document.get("seconds", {}).items():
            minutes[int(second) // 60] += n
        return [minutes[minute] for minute in range(60)]


class HourNested(PerHour):
    name = "minutes_nested"
    collections = [name]

    def _paths(self, rest: int) -> list[str]:
        return [f"minutes.{rest // 60}.{rest % 60}"]

    def _minutes(self, document: Document) -> list[int]:
        minutes = document.get("minutes", {})
        return [sum(minutes.get(str(minute), {}).values()) for minute in range(60)]


def time_at(second: int) -> datetime:
    return MIDNIGHT + timedelta(seconds=second)


def second_of_day(moment: datetime) -> int:
    return int((moment.replace(tzinfo=UTC) - MIDNIGHT).total_seconds())


def count_documents_examined(collection: str, pipeline: list[Document]) -> int:
    """Return the number of stored documents that an aggregation examines.

    In a time-series collection, the stored documents are buckets of several events.
    """
    command = {"aggregate": collection, "pipeline": pipeline, "cursor": {}}
    plan = connection.database.command("explain", command, verbosity="executionStats")
    return _examined(plan)


def _examined(part: Any) -> int:
    if isinstance(part, dict):
        if "totalDocsExamined" in part:
            return int(part["totalDocsExamined"])
        return max((_examined(value) for value in part.values()), default=0)
    if isinstance(part, list):
        return max((_examined(value) for value in part), default=0)
    return 0
