"""Read stats over time about a post, an account or the whole site.

All numbers here come from the counters in ``store.stats``, which lose up to a second of events if a process
dies. Pages therefore show the exact totals of likes, comments and shares from the post instead.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import log

from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.infra.ids import first_id_at
from accounts.selectors.follow_graph import audience_buckets
from feed.stats import POST_METRICS, SITE, Metric, cohort_on
from feed.store import active_hours, posts, stats
from feed.store.stats import Subject, Unit, start_of_day, start_of_hour

from .post_view import PostView
from .trends import written_kinds
from .visible_posts import posts_in_order

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ACCOUNT_METRICS = (*POST_METRICS, Metric.FOLLOWERS)
MAX_YEARS = 10
TOP_POSTS = 5
NEWEST_POSTS = 500
"""The top posts of an author are chosen from this many newest posts."""

MIN_FOLLOWERS = 10
"""Minimum number of followers with recorded visits for ``Insights.active_hours``.

With fewer followers, the active hours would reveal the habits of single users.
"""

MIN_FOLLOWER_AGE = timedelta(days=7)
"""Followers with newer accounts do not count for ``Insights.active_hours``."""


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time that ends now, divided into the bars of a chart."""

    name: str
    label: Promise | str
    starts: Callable[[datetime], list[datetime]]
    """Takes the current time in UTC and returns the start of each bar, oldest first."""

    unit: Unit | None
    """The length of a bar. None for a minute."""

    @property
    def is_in_local_time(self) -> bool:
        """Return whether the viewer's time zone applies. Days and months start at midnight in UTC.

        Numbers are stored by hour and later by day in UTC, so days of other time zones would be inexact.
        """
        return self.unit in (None, "hour")


@dataclass(frozen=True, slots=True)
class Series:
    """The numbers of a metric, as pairs (start of the bar, number), oldest first."""

    metric: Metric
    points: Sequence[tuple[datetime, int]]

    @property
    def total(self) -> int:
        return sum(number for _at, number in self.points)


@dataclass(frozen=True, slots=True)
class Insights:
    """The stats of a post or an account over a period.

    ``top_posts`` are the posts with most views, each with the number of views in the period.
    ``active_hours`` has a pair for each hour of the day: the start of the hour in local time, and the
    fraction of the followers' visits in this hour with noise, rounded to the share of a follower or 0.01.
    It is None if visits of fewer than ``MIN_FOLLOWERS`` followers are recorded.
    """

    period: Period
    series: tuple[Series, ...]
    top_posts: tuple[tuple[PostView, int], ...] = ()
    active_hours: tuple[tuple[datetime, float], ...] | None = None


def post_insights(*, post: PostView, period: str) -> Insights:
    """Return views, likes, comments and shares of one post. Costs one database command.

    Callers check that the viewer is the author.
    """
    chosen = PERIODS[period]
    return Insights(chosen, _series([post.id], POST_METRICS, chosen))


def account_insights(*, uid: int, period: str) -> Insights:
    """Return the stats of an account. Costs a constant number of database commands."""
    chosen = PERIODS[period]
    return Insights(
        period=chosen,
        series=_series([uid], ACCOUNT_METRICS, chosen),
        top_posts=_top_posts(uid, chosen),
        active_hours=_active_hours(uid),
    )


def site_series(*, metrics: Sequence[Metric], period: str) -> tuple[Series, ...]:
    """Return a series for each metric of the whole site over a period. Costs one database command."""
    return _series([SITE], metrics, PERIODS[period])


def site_counts_by_day(
    *, metrics: Sequence[Metric], since: datetime, until: datetime
) -> Counter[datetime]:
    """Return the sum of these metrics of the whole site by UTC day. Costs one database command."""
    days: Counter[datetime] = Counter()
    numbers = stats.by_unit(subjects=[SITE], metrics=metrics, since=since, unit="day")
    for (_metric, day), number in numbers.items():
        if day < until:
            days[day] += number
    return days


def site_counts_by_week(*, weeks: int) -> dict[datetime, Counter[str]]:
    """Return the numbers of posts, sign-ups and active users by the Monday of the week, newest first.

    A user counts once for each day with activity. Costs one database command.
    """
    today = start_of_day(timezone.now())
    this_week = today - today.weekday() * DAY
    mondays = [this_week - 7 * number * DAY for number in range(weeks)]
    counts: dict[datetime, Counter[str]] = {monday: Counter() for monday in mondays}
    metrics = (Metric.POSTS, Metric.SIGN_UPS, Metric.ACTIVE)
    numbers = stats.by_unit(subjects=[SITE], metrics=metrics, since=mondays[-1], unit="day")
    for (metric, day), number in numbers.items():
        counts[day - day.weekday() * DAY][metric] += number
    return counts


def cohort_activity(*, days: Sequence[datetime]) -> Counter[tuple[datetime, datetime]]:
    """Return the number of active users by (day of sign-up, day of activity). Costs one database command.

    ``days``: the days of sign-up, oldest first.
    """
    cohorts = {cohort_on(day=day): day for day in days}
    numbers = stats.by_subject_and_hour(subjects=list(cohorts), metric=Metric.ACTIVE, since=days[0])
    active: Counter[tuple[datetime, datetime]] = Counter()
    for subject, hours in numbers.items():
        for hour, number in hours.items():
            active[cohorts[str(subject)], stats.start_of_day(hour)] += number
    return active


def _series(
    subjects: Sequence[Subject], metrics: Sequence[Metric], period: Period
) -> tuple[Series, ...]:
    starts = period.starts(timezone.now())
    if period.unit is None:
        numbers = stats.by_minute(subjects=subjects, metrics=metrics, since=starts[0])
    else:
        numbers = stats.by_unit(
            subjects=subjects, metrics=metrics, since=starts[0], unit=period.unit
        )
    if period is PERIODS["all"]:
        first = min((at for _metric, at in numbers), default=starts[-1])
        starts = [at for at in starts if at >= first]
    zone = timezone.get_current_timezone() if period.is_in_local_time else UTC
    return tuple(
        Series(metric, tuple((at.astimezone(zone), numbers[metric, at]) for at in starts))
        for metric in metrics
    )


def _top_posts(uid: int, period: Period) -> tuple[tuple[PostView, int], ...]:
    # A share has an id, too, but its views belong to the author of the post.
    newest = posts.ids_and_authors(
        authors=[uid], viewer=uid, kinds=written_kinds(), limit=NEWEST_POSTS
    )
    if not newest:
        return ()
    ids = [post_id for post_id, _author in newest]
    since = start_of_hour(period.starts(timezone.now())[0])
    views = stats.by_subject(subjects=ids, metric=Metric.VIEWS, since=since)
    top = [int(post_id) for post_id, number in views.most_common(TOP_POSTS) if number]
    return tuple((post, views[post.id]) for post in posts_in_order(ids=top, viewer=uid))


def _active_hours(uid: int) -> tuple[tuple[datetime, float], ...] | None:
    """Return ``Insights.active_hours``.

    Users could follow themselves with accounts whose hours they know, and subtract these. So each follower
    counts the same, new accounts do not count, and noise hides by how much one follower changes a number.

    The numbers cover only the first audience bucket, which has up to 1,000 followers, so that the cost does
    not grow with the audience.
    """
    now = timezone.now()
    for bucket in islice(audience_buckets(author=uid), 1):
        newest_uid = first_id_at(moment=now - MIN_FOLLOWER_AGE)
        uids = [follower for follower in bucket.uids if follower < newest_uid]
        known, shares = active_hours.hour_shares(uids=uids)
        if known < MIN_FOLLOWERS:
            return None
        step = 1 / min(known, 100)
        midnight = stats.start_of_day(now)
        local = []
        for hour, share in enumerate(shares):
            steps = round(share / step + _noise(uid=uid, week=now.isocalendar()[:2], hour=hour))
            shown = round(min(1, max(0, steps * step)), 3)
            local.append((timezone.localtime(midnight + hour * HOUR), shown))
        return tuple(sorted(local, key=lambda pair: pair[0].hour))
    return None


def _noise(*, uid: int, week: tuple[int, int], hour: int) -> float:
    """Return secret Laplace noise of scale 1. It is stable, or the mean of many pages would be without."""
    digest = salted_hmac("active hours", f"{uid} {week} {hour}", algorithm="sha256").digest()
    first, second = (int.from_bytes(part) + 1 for part in (digest[:8], digest[8:16]))
    return log(first / second)


def _last(
    count: int, step: timedelta, start: Callable[[datetime], datetime]
) -> Callable[[datetime], list[datetime]]:
    """Return ``Period.starts`` for bars of the same length. ``start`` returns the start of a bar."""
    return lambda now: [start(now) - number * step for number in reversed(range(count))]


def _start_of_minute(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0)


def _months(now: datetime) -> list[datetime]:
    this = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return [
        this.replace(year=year, month=month)
        for year in range(this.year - MAX_YEARS, this.year + 1)
        for month in range(1, 13)
        if (year, month) <= (this.year, this.month)
    ]


PERIODS = {
    period.name: period
    for period in (
        Period("hour", _("Last hour"), _last(60, MINUTE, _start_of_minute), None),
        Period("day", _("24 hours"), _last(24, HOUR, start_of_hour), "hour"),
        Period("week", _("7 days"), _last(7, DAY, start_of_day), "day"),
        Period("month", _("28 days"), _last(28, DAY, start_of_day), "day"),
        Period("all", _("All time"), _months, "month"),
    )
}
