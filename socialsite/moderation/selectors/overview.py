"""What there is to do, and how the site fares: for the first page of the admin.

Every number is read off an index and bounded, so the page costs the same on a site of any size.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.infra.ids import first_id_at, time_of
from feed.models import Post
from feed.selectors.insights import Series, site_series
from feed.selectors.rows import ids_pending_review
from feed.stats import Metric
from feed.timeline.progress import unfinished_post_ids
from socialsite.moderation.models import Appeal, Case

from .user_names import UserNames, names_by_uid

MAX_COUNTED = 1000
"""Of what is counted one by one."""

MAX_LISTED = 10
MAX_CLOSED_CASES = 100_000
DAILY_METRICS = (Metric.SIGN_UPS, Metric.ACTIVE, Metric.REPORTS)
HOURLY_METRICS = (Metric.POSTS, Metric.API_CALLS, Metric.PAGES, Metric.PAGE_MS)


@dataclass(frozen=True, slots=True)
class BoundedCount:
    label: str
    value: int

    @property
    def has_more(self) -> bool:
        return self.value >= MAX_COUNTED


@dataclass(frozen=True, slots=True)
class Overview:
    """``months``: numbers of 28 days by day, ``days``: of 24 hours by hour, ``hours``: of the last hour by
    minute.

    ``queue_seconds``: the age of the oldest post whose delivery is under way.
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
    still_open = Case.objects.filter(closed_at=None)
    newest = list(still_open.order_by("-pk")[:MAX_LISTED])
    most_reported = list(still_open.filter(reports__gt=1).order_by("-reports")[:MAX_LISTED])
    appeals = Appeal.objects.filter(state=Appeal.State.OPEN)
    unanswered = _bounded(appeals)
    held = len(ids_pending_review(limit=MAX_COUNTED))
    failed = min(len(unfinished_post_ids(state=Post.DeliveryState.FAILED)), MAX_COUNTED)
    return Overview(
        cases_by_age=_by_age(still_open, now),
        newest_cases=newest,
        most_reported_cases=most_reported,
        appeals=BoundedCount(
            ngettext("unanswered appeal", "unanswered appeals", unanswered), unanswered
        ),
        pending_review=BoundedCount(
            ngettext("post held for review", "posts held for review", held), held
        ),
        failed_deliveries=BoundedCount(
            ngettext("failed delivery", "failed deliveries", failed), failed
        ),
        daily_series=site_series(metrics=DAILY_METRICS, period="month"),
        hourly_series=site_series(metrics=HOURLY_METRICS, period="day"),
        minute_series=site_series(metrics=[Metric.DELIVERIES], period="hour"),
        oldest_delivery_seconds=_queue_seconds(now),
        user_names=names_by_uid(
            uids=[uid for one in (*newest, *most_reported) for uid in _uids(one)]
        ),
    )


def _uids(case: Case) -> tuple[int | None, int | None]:
    return case.person, case.assignee


def _by_age(still_open: QuerySet[Case], now: datetime) -> list[BoundedCount]:
    """Ids are in the order of time, and so is the index of open cases."""
    hour, day, week = (
        first_id_at(moment=now - age)
        for age in (timedelta(hours=1), timedelta(days=1), timedelta(days=7))
    )
    return [
        BoundedCount(_("younger than an hour"), _bounded(still_open.filter(pk__gte=hour))),
        BoundedCount(
            _("younger than a day"), _bounded(still_open.filter(pk__gte=day, pk__lt=hour))
        ),
        BoundedCount(
            _("younger than a week"), _bounded(still_open.filter(pk__gte=week, pk__lt=day))
        ),
        BoundedCount(_("older"), _bounded(still_open.filter(pk__lt=week))),
    ]


def closed_cases_by_day(since: datetime, until: datetime) -> Counter[datetime]:
    """Return how many cases were closed on each day in UTC. One command, at most ``MOST_CLOSED`` rows."""
    closed = Case.objects.filter(closed_at__gte=since, closed_at__lt=until).order_by("closed_at")
    moments = closed.values_list("closed_at", flat=True)[:MAX_CLOSED_CASES]
    return Counter(
        moment.replace(hour=0, minute=0, second=0, microsecond=0) for moment in moments if moment
    )


def _queue_seconds(now: datetime) -> int:
    under_way = unfinished_post_ids(state=Post.DeliveryState.PENDING)
    return int((now - time_of(id=min(under_way))).total_seconds()) if under_way else 0


def _bounded(rows: "QuerySet[Case] | QuerySet[Appeal]") -> int:
    return len(rows.values_list("pk")[:MAX_COUNTED])
