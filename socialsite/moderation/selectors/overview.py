"""What there is to do, and how the site fares: for the first page of the admin.

Every number is read off an index and bounded, so the page costs the same on a site of any size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import selectors as people
from accounts.ids import first_id_at
from feed import selectors as feed
from feed.models import Post
from socialsite.moderation.models import Appeal, Case

from .names import Names, named

MOST = 1000
"""Of what is counted one by one."""

MOST_MADE = 5000
"""In one hour or on one day."""

LISTED = 10
DAYS, HOURS = 14, 48


@dataclass(frozen=True, slots=True)
class Count:
    label: str
    number: int

    @property
    def has_more(self) -> bool:
        return self.number >= MOST


@dataclass(frozen=True, slots=True)
class Overview:
    """``joined`` and ``posted``: since when, and how many, the oldest first."""

    ages: Sequence[Count]
    newest: Sequence[Case]
    most_reported: Sequence[Case]
    appeals: Count
    held: Count
    failed: Count
    joined: Sequence[tuple[datetime, int]]
    posted: Sequence[tuple[datetime, int]]
    names: Names


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
        joined=_joined(now),
        posted=_posted(now),
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


def _joined(now: datetime) -> list[tuple[datetime, int]]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    moments = [today - timedelta(days=DAYS - 1 - n) for n in range(DAYS + 1)]
    return list(zip(moments, people.joined_between(moments=moments, most=MOST_MADE), strict=False))


def _posted(now: datetime) -> list[tuple[datetime, int]]:
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    moments = [this_hour - timedelta(hours=HOURS - 1 - n) for n in range(HOURS + 1)]
    return list(zip(moments, feed.posts_between(moments=moments, most=MOST_MADE), strict=False))


def _bounded(rows: "QuerySet[Case] | QuerySet[Appeal]") -> int:
    return len(rows.values_list("pk")[:MOST])
