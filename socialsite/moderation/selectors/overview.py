"""Open work of moderators and numbers of the site, for the dashboard of the admin.

Every count is bounded and reads an index, so the page costs the same on a site of any size.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import ngettext_lazy

from accounts.infra.ids import first_id_at, time_of
from accounts.selectors.user_names import UserNames, names_by_uid
from feed.models import Post
from feed.selectors.insights import Series, site_series
from feed.selectors.stored_content import ids_pending_review
from feed.stats import Metric
from feed.timeline.progress import unfinished_post_ids
from socialsite.moderation.models import Appeal, Case

MAX_COUNTED = 1000
"""Maximum number of rows that a count reads."""
MAX_LISTED = 10
MAX_CLOSED_CASES = 100_000
DAILY_METRICS = (Metric.SIGN_UPS, Metric.ACTIVE, Metric.REPORTS)
HOURLY_METRICS = (Metric.POSTS, Metric.API_CALLS, Metric.PAGES, Metric.PAGE_MS)


AGES = (
    ngettext_lazy(
        "<strong>%(number)s</strong> less than an hour old",
        "<strong>%(number)s</strong> less than an hour old",
        "value",
    ),
    ngettext_lazy(
        "<strong>%(number)s</strong> less than a day old",
        "<strong>%(number)s</strong> less than a day old",
        "value",
    ),
    ngettext_lazy(
        "<strong>%(number)s</strong> less than a week old",
        "<strong>%(number)s</strong> less than a week old",
        "value",
    ),
    ngettext_lazy(
        "<strong>%(number)s</strong> older", "<strong>%(number)s</strong> older", "value"
    ),
)


@dataclass(frozen=True, slots=True)
class BoundedCount:
    """A number with its unit. ``template``: HTML with ``%(number)s``, singular or plural by "value"."""

    template: Any
    value: int

    @property
    def text(self) -> SafeString:
        """Return the number and its unit, such as "100+ unanswered appeals"."""
        number = number_format(self.value) + ("+" if self.value >= MAX_COUNTED else "")
        text = str(self.template % {"value": self.value, "number": number})
        return mark_safe(text)  # noqa: S308 - no text of users


@dataclass(frozen=True, slots=True)
class Overview:
    """The contents of the dashboard.

    Attributes:
        daily_series: the last 28 days.
        hourly_series: the last 24 hours.
        minute_series: the last hour.
        oldest_delivery_seconds: age of the oldest post whose delivery is unfinished.
    """

    cases_by_age: Sequence[BoundedCount]
    newest_cases: Sequence[Case]
    most_reported_cases: Sequence[Case]
    appeals: BoundedCount
    pending_review: BoundedCount
    failed_deliveries: BoundedCount
    daily_series: Sequence[Series]
    hourly_series: Sequence[Series]
    minute_series: Sequence[Series]
    user_names: UserNames
    oldest_delivery_seconds: int = 0


def moderation_overview() -> Overview:
    now = timezone.now()
    open_cases = Case.objects.filter(closed_at=None)
    newest_cases = list(open_cases.order_by("-pk")[:MAX_LISTED])
    most_reported_cases = list(open_cases.filter(reports__gt=1).order_by("-reports")[:MAX_LISTED])
    appeal_count = _bounded_count(Appeal.objects.filter(state=Appeal.State.OPEN))
    pending_count = len(ids_pending_review(limit=MAX_COUNTED))
    failed_count = min(len(unfinished_post_ids(state=Post.DeliveryState.FAILED)), MAX_COUNTED)
    return Overview(
        cases_by_age=_count_by_age(open_cases, now),
        newest_cases=newest_cases,
        most_reported_cases=most_reported_cases,
        appeals=BoundedCount(
            ngettext_lazy(
                "<strong>%(number)s</strong> unanswered appeal",
                "<strong>%(number)s</strong> unanswered appeals",
                "value",
            ),
            appeal_count,
        ),
        pending_review=BoundedCount(
            ngettext_lazy(
                "<strong>%(number)s</strong> post pending review",
                "<strong>%(number)s</strong> posts pending review",
                "value",
            ),
            pending_count,
        ),
        failed_deliveries=BoundedCount(
            ngettext_lazy(
                "<strong>%(number)s</strong> failed delivery",
                "<strong>%(number)s</strong> failed deliveries",
                "value",
            ),
            failed_count,
        ),
        daily_series=site_series(metrics=DAILY_METRICS, period="month"),
        hourly_series=site_series(metrics=HOURLY_METRICS, period="day"),
        minute_series=site_series(metrics=[Metric.DELIVERIES], period="hour"),
        oldest_delivery_seconds=_oldest_delivery_seconds(now),
        user_names=names_by_uid(
            uids=[
                uid
                for case in (*newest_cases, *most_reported_cases)
                for uid in (case.user_id, case.assignee)
            ]
        ),
    )


def _count_by_age(open_cases: QuerySet[Case], now: datetime) -> list[BoundedCount]:
    """Count open cases by age. The counts read an index, because ids are ordered by time."""
    hour, day, week = (
        first_id_at(moment=now - age)
        for age in (timedelta(hours=1), timedelta(days=1), timedelta(days=7))
    )
    counts = (
        _bounded_count(open_cases.filter(pk__gte=hour)),
        _bounded_count(open_cases.filter(pk__gte=day, pk__lt=hour)),
        _bounded_count(open_cases.filter(pk__gte=week, pk__lt=day)),
        _bounded_count(open_cases.filter(pk__lt=week)),
    )
    return [BoundedCount(*pair) for pair in zip(AGES, counts, strict=True)]


def closed_cases_by_day(since: datetime, until: datetime) -> Counter[datetime]:
    """Count closed cases by day in UTC. Runs one command, which reads up to ``MAX_CLOSED_CASES`` rows."""
    closed = Case.objects.filter(closed_at__gte=since, closed_at__lt=until).order_by("closed_at")
    moments = closed.values_list("closed_at", flat=True)[:MAX_CLOSED_CASES]
    return Counter(
        moment.replace(hour=0, minute=0, second=0, microsecond=0) for moment in moments if moment
    )


def _oldest_delivery_seconds(now: datetime) -> int:
    post_ids = unfinished_post_ids(state=Post.DeliveryState.PENDING)
    return int((now - time_of(id=min(post_ids))).total_seconds()) if post_ids else 0


def _bounded_count(rows: "QuerySet[Case] | QuerySet[Appeal]") -> int:
    return len(rows.values_list("pk")[:MAX_COUNTED])
