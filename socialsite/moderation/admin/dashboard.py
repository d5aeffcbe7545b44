"""The first page of the admin: open work of moderators and charts of the site."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from feed.charts import bar_chart
from feed.selectors.insights import Series
from feed.stats import Metric
from socialsite.moderation.selectors.overview import Overview, moderation_overview

from .access import can_moderate

DAY_FORMAT, HOUR_FORMAT = "j M", "j M, H:i"
CHART_TITLES = {
    Metric.SIGN_UPS: gettext_lazy("New accounts per day"),
    Metric.ACTIVE: gettext_lazy("Active users per day"),
    Metric.REPORTS: gettext_lazy("Reports per day"),
    Metric.POSTS: gettext_lazy("Posts per hour"),
    Metric.API_CALLS: gettext_lazy("API calls per hour"),
    Metric.PAGE_MS: gettext_lazy("Average page time (ms)"),
    Metric.DELIVERIES: gettext_lazy("Deliveries per minute"),
}


def dashboard_context(request: HttpRequest) -> dict[str, Any]:
    """Return the template context of the dashboard, or {} for users who are not moderators."""
    if isinstance(request.user, AnonymousUser) or not can_moderate(request):
        return {}
    overview = moderation_overview()
    charts = [
        bar_chart(
            id=str(series.metric),
            title=str(CHART_TITLES[series.metric]),
            points=series.points,
            label_format=label_format,
            has_total=series.metric is not Metric.PAGE_MS,
        )
        for series, label_format in _list_series(overview)
    ]
    names = overview.user_names
    lists = [
        (_("Newest cases"), [(case, names[case.user_id]) for case in overview.newest_cases]),
        (
            _("Most reported"),
            [(case, names[case.user_id]) for case in overview.most_reported_cases],
        ),
    ]
    return {"overview": overview, "charts": charts, "case_lists": lists}


def _list_series(overview: Overview) -> list[tuple[Series, str]]:
    """Return ``(series, label_format)`` of each chart, in the order of the page."""
    by_hour = {series.metric: series for series in overview.hourly_series}
    return [
        *((series, DAY_FORMAT) for series in overview.daily_series),
        (by_hour[Metric.POSTS], HOUR_FORMAT),
        (by_hour[Metric.API_CALLS], HOUR_FORMAT),
        (_divide_series(by_hour[Metric.PAGE_MS], by_hour[Metric.PAGES]), HOUR_FORMAT),
        *((series, HOUR_FORMAT) for series in overview.minute_series),
    ]


def _divide_series(totals: Series, counts: Series) -> Series:
    points = [
        (time, round(total / count) if count else 0)
        for (time, total), (_time, count) in zip(totals.points, counts.points, strict=True)
    ]
    return Series(totals.metric, points)
