"""The first page of the admin: what there is to do, and how the site fares."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from feed.charts import Chart, bar_chart
from feed.selectors.insights import Series
from feed.stats import Metric
from socialsite.moderation.selectors.overview import Overview, moderation_overview

from .access import can_moderate

DAY_FORMAT, HOUR_FORMAT = "j M", "j M, H:i"
CHART_TITLES = {
    Metric.SIGN_UPS: gettext_lazy("New accounts a day"),
    Metric.ACTIVE: gettext_lazy("Active people a day"),
    Metric.REPORTS: gettext_lazy("Reports a day"),
    Metric.POSTS: gettext_lazy("Posts an hour"),
    Metric.API_CALLS: gettext_lazy("API calls an hour"),
    Metric.PAGE_MS: gettext_lazy("Milliseconds a page takes"),
    Metric.DELIVERIES: gettext_lazy("Deliveries a minute"),
}


def dashboard_context(request: HttpRequest) -> dict[str, Any]:
    """For the template; empty for those who do not work on cases."""
    if isinstance(request.user, AnonymousUser) or not can_moderate(request):
        return {}
    found = moderation_overview()
    charts = [_chart(series, form) for series, form in _shown(found)]
    lists = [
        (_("Newest cases"), [(one, found.user_names[one.person]) for one in found.newest_cases]),
        (
            _("Most reported"),
            [(one, found.user_names[one.person]) for one in found.most_reported_cases],
        ),
    ]
    return {"overview": found, "charts": charts, "case_lists": lists}


def _shown(found: Overview) -> list[tuple[Series, str]]:
    by_hour = {series.metric: series for series in found.hourly_series}
    return [
        *((series, DAY_FORMAT) for series in found.daily_series),
        (by_hour[Metric.POSTS], HOUR_FORMAT),
        (by_hour[Metric.API_CALLS], HOUR_FORMAT),
        (_mean(by_hour[Metric.PAGE_MS], by_hour[Metric.PAGES]), HOUR_FORMAT),
        *((series, HOUR_FORMAT) for series in found.minute_series),
    ]


def _mean(sums: Series, numbers: Series) -> Series:
    points = [
        (at, round(total / number) if number else 0)
        for (at, total), (_at, number) in zip(sums.points, numbers.points, strict=True)
    ]
    return Series(sums.metric, points)


def _chart(series: Series, form: str) -> Chart:
    return bar_chart(
        id=str(series.metric),
        title=str(CHART_TITLES[series.metric]),
        points=series.points,
        label_format=form,
        has_total=series.metric is not Metric.PAGE_MS,
    )
