"""Measures, retention and dimensions of the site, for moderators.

Mastodon documents the formats: https://docs.joinmastodon.org/methods/admin/measures/. Measures of other
servers and of languages are missing, because the site has no such data.
"""

import platform
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypedDict

import django
from django.utils.translation import gettext as _
from rest_framework import serializers

from feed.selectors.insights import cohort_activity, site_counts_by_day
from feed.stats import Metric
from socialsite.api.plumbing.endpoints import ApiRequest, endpoint
from socialsite.api.plumbing.errors import Unprocessable
from socialsite.api.plumbing.inputs import Inputs
from socialsite.api.serializers.values import DateTime, format_datetime
from socialsite.moderation.selectors.overview import closed_cases_by_day
from socialsite.monitoring.store import database_bytes, server_version

from .users import require_moderator

READ_SCOPE = "admin:read"
DAY = timedelta(days=1)
MAX_DAYS, MAX_COHORTS, MAX_KEYS = 366, 31, 20


class MeasureDatum(TypedDict):
    date: DateTime
    value: str


class Measure(TypedDict):
    key: str
    unit: str | None
    total: str
    previous_total: str
    data: list[MeasureDatum]


class CohortDatum(TypedDict):
    date: DateTime
    rate: float
    value: str


class Cohort(TypedDict):
    period: DateTime
    frequency: str
    data: list[CohortDatum]


class DimensionDatum(TypedDict):
    key: str
    human_key: str
    value: str
    unit: str | None
    human_value: str | None


class Dimension(TypedDict):
    key: str
    data: list[DimensionDatum]


class KeyListField(serializers.ListField):
    def __init__(self, choices: list[str]) -> None:
        super().__init__(
            child=serializers.ChoiceField(choices=choices), min_length=1, max_length=MAX_KEYS
        )


class DateRangeInputs(Inputs):
    start_at = serializers.DateTimeField(default_timezone=UTC)
    end_at = serializers.DateTimeField(default_timezone=UTC)


MEASURES: dict[str, Callable[..., Counter[datetime]]] = {
    "active_users": partial(site_counts_by_day, metrics=[Metric.ACTIVE]),
    "new_users": partial(site_counts_by_day, metrics=[Metric.SIGN_UPS]),
    "interactions": partial(
        site_counts_by_day, metrics=[Metric.LIKES, Metric.COMMENTS, Metric.SHARES]
    ),
    "opened_reports": partial(site_counts_by_day, metrics=[Metric.REPORTS]),
    "resolved_reports": closed_cases_by_day,
}
"""Functions that count by day, from ``since`` to ``until``."""


class MeasureInputs(DateRangeInputs):
    keys = KeyListField(list(MEASURES))


class RetentionInputs(DateRangeInputs):
    frequency = serializers.ChoiceField(choices=["day"])


DIMENSIONS = ("software_versions", "space_usage")


class DimensionInputs(Inputs):
    keys = KeyListField(list(DIMENSIONS))
    start_at = serializers.DateTimeField(required=False)
    end_at = serializers.DateTimeField(required=False)
    limit = serializers.IntegerField(required=False, min_value=1)


@endpoint(READ_SCOPE, inputs=MeasureInputs, returns=list[Measure], tag="admin")
def measures(request: ApiRequest) -> Any:
    """Return counts by day, and the total of the previous period of the same length."""
    require_moderator(request)
    days = _requested_days(request.inputs, MAX_DAYS)
    return [_serialize_measure(key, days) for key in dict.fromkeys(request.inputs["keys"])]


def _serialize_measure(key: str, days: list[datetime]) -> Measure:
    start = days[0] - len(days) * DAY
    counts = MEASURES[key](since=start, until=days[-1] + DAY)
    previous = sum(count for day, count in counts.items() if day < days[0])
    return {
        "key": key,
        "unit": None,
        "total": str(sum(counts[day] for day in days)),
        "previous_total": str(previous),
        "data": [{"date": format_datetime(day), "value": str(counts[day])} for day in days],
    }


@endpoint(READ_SCOPE, inputs=RetentionInputs, returns=list[Cohort], tag="admin")
def retention(request: ApiRequest) -> Any:
    """Return, for the users who signed up on each day, the fraction who were active on each day since then.

    The only frequency is ``day``, because the site records activity by day.
    """
    require_moderator(request)
    days = _requested_days(request.inputs, MAX_COHORTS)
    sizes = site_counts_by_day(metrics=[Metric.SIGN_UPS], since=days[0], until=days[-1] + DAY)
    active = cohort_activity(days=days)
    return [_serialize_cohort(start, days, sizes[start], active) for start in days]


def _serialize_cohort(
    start: datetime, days: list[datetime], size: int, active: Counter[tuple[datetime, datetime]]
) -> Cohort:
    data: list[CohortDatum] = [
        {
            "date": format_datetime(day),
            "rate": min(1.0, active[start, day] / size) if size else 0.0,
            "value": str(active[start, day]),
        }
        for day in days
        if day >= start
    ]
    return {"period": format_datetime(start), "frequency": "day", "data": data}


@endpoint(READ_SCOPE, inputs=DimensionInputs, returns=list[Dimension], tag="admin")
def dimensions(request: ApiRequest) -> Any:
    """Return the versions of the software and the size of the database."""
    require_moderator(request)
    return [_serialize_dimension(key) for key in dict.fromkeys(request.inputs["keys"])]


def _serialize_dimension(key: str) -> Dimension:
    if key == "space_usage":
        size = str(database_bytes())
        return {"key": key, "data": [_serialize_datum("MongoDB", size, "bytes")]}
    versions = {
        "Python": platform.python_version(),
        "Django": django.get_version(),
        "MongoDB": server_version(),
    }
    data = [_serialize_datum(name, version, None) for name, version in versions.items()]
    return {"key": key, "data": data}


def _serialize_datum(name: str, value: str, unit: str | None) -> DimensionDatum:
    return {
        "key": name.lower(),
        "human_key": name,
        "value": value,
        "unit": unit,
        "human_value": value,
    }


def _requested_days(inputs: dict[str, Any], max_days: int) -> list[datetime]:
    """Return the start of each requested day in UTC. Raises Unprocessable for no days or too many days."""
    first, last = (
        inputs[name].astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        for name in ("start_at", "end_at")
    )
    day_count = (last - first) // DAY + 1
    if not 1 <= day_count <= max_days:
        raise Unprocessable(
            _("Choose a number of days between 1 and %(most)d.") % {"most": max_days}
        )
    return [first + index * DAY for index in range(day_count)]
