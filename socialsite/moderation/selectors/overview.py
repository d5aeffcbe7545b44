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

from accounts.ids import first_id_at, time_of
from feed import selectors as feed
from feed.models import Post
from feed.selectors import Series
from feed.stats import Metric
from socialsite.moderation.models import Appeal, Case

from .names import Names, named

MOST = 1000
"""Of what is counted one by one."""

LISTED = 10
MOST_CLOSED = 100_000
BY_DAY = (Metric.SIGN_UPS, Metric.ACTIVE, Metric.REPORTS)
BY_HOUR = (Metric.POSTS, Metric.API_CALLS, Metric.PAGES, Metric.PAGE_MS)


@dataclass(frozen=True, slots=True)
class Count:
    label: str
    number: int

    @property
    def has_more(self) -> bool:
        return self.number >= MOST


@dataclass(frozen=True, slots=True)
class Overview:
    """``months``: numbers of 28 days by day, ``days``: of 24 hours by hour, ``hours``: of the last hour by
    minute.

    ``queue_seconds``: the age of the oldest post whose delivery is under way.
    """

    ages: Sequence[Count]
    newest: Sequence[Case]
    most_reported: Sequence[Case]
    appeals: Count
    held: Count
    failed: Count
    months: Sequence[Series]
    days: Sequence[Series]
    hours: Sequence[Series]
    names: Names
    queue_seconds: int = 0


def overview() -> Overview:
    now = timezone.now()
    still_open = Case.objects.filter(closed_at=None)
    newest = list(still_open.order_by("-pk")[:LISTED])
    most_reported = list(still_open.filter(reports__gt=1).order_by("-reports")[:LISTED])
    appeals = Appeal.objects.filter(state=Appeal.State.OPEN)
    unanswered = _bounded(appeals)
    held = len(feed.held_posts(limit=MOST))
    failed = min(len(feed.unfinished_deliveries(state=Post.Delivery.FAILED)), MOST)
    return Overview(
        ages=_by_age(still_open, now),
        newest=newest,
        most_reported=most_reported,
        appeals=Count(ngettext("unanswered appeal", "unanswered appeals", unanswered), unanswered),
        held=Count(ngettext("post held for review", "posts held for review", held), held),
        failed=Count(ngettext("failed delivery", "failed deliveries", failed), failed),
        months=feed.site_series(metrics=BY_DAY, period="month"),
        days=feed.site_series(metrics=BY_HOUR, period="day"),
        hours=feed.site_series(metrics=[Metric.DELIVERIES], period="hour"),
        queue_seconds=_queue_seconds(now),
        names=named(uids=[uid for one in (*newest, *most_reported) for uid in _uids(one)]),
    )


def _uids(case: Case) -> tuple[int | None, int | None]:
    return case.person, case.assignee


def _by_age(still_open: QuerySet[Case], now: datetime) -> list[Count]:
    """Ids are in the order of time, and so is the index of open cases."""
    hour, day, week = (
        first_id_at(moment=now - age)
        for age in (timedelta(hours=1), timedelta(days=1), timedelta(days=7))
    )
    return [
        Count(_("younger than an hour"), _bounded(still_open.filter(pk__gte=hour))),
        Count(_("younger than a day"), _bounded(still_open.filter(pk__gte=day, pk__lt=hour))),
        Count(_("younger than a week"), _bounded(still_open.filter(pk__gte=week, pk__lt=day))),
        Count(_("older"), _bounded(still_open.filter(pk__lt=week))),
    ]


def closed_cases_by_day(since: datetime, until: datetime) -> Counter[datetime]:
    """Return how many cases were closed on each day in UTC. One command, at most ``MOST_CLOSED`` rows."""
    closed = Case.objects.filter(closed_at__gte=since, closed_at__lt=until).order_by("closed_at")
    moments = closed.values_list("closed_at", flat=True)[:MOST_CLOSED]
    return Counter(
        moment.replace(hour=0, minute=0, second=0, microsecond=0) for moment in moments if moment
    )


def _queue_seconds(now: datetime) -> int:
    under_way = feed.unfinished_deliveries(state=Post.Delivery.PENDING)
    return int((now - time_of(id=min(under_way))).total_seconds()) if under_way else 0


def _bounded(rows: "QuerySet[Case] | QuerySet[Appeal]") -> int:
    return len(rows.values_list("pk")[:MOST])
