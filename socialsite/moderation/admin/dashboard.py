"""The first page of the admin: what there is to do, and how the site fares."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from feed.charts import Chart, chart
from feed.selectors import Series
from feed.stats import Metric
from socialsite.moderation.selectors import overview
from socialsite.moderation.selectors.overview import Overview

from .asking import may_moderate

DAY_FORM, HOUR_FORM = "j M", "j M, H:i"
TITLES = {
    Metric.SIGN_UPS: gettext_lazy("New accounts a day"),
    Metric.ACTIVE: gettext_lazy("Active people a day"),
    Metric.REPORTS: gettext_lazy("Reports a day"),
    Metric.POSTS: gettext_lazy("Posts an hour"),
    Metric.API_CALLS: gettext_lazy("API calls an hour"),
    Metric.PAGE_MS: gettext_lazy("Milliseconds a page takes"),
    Metric.DELIVERIES: gettext_lazy("Deliveries a minute"),
}


def dashboard(request: HttpRequest) -> dict[str, Any]:
    """For the template; empty for those who do not work on cases."""
    if isinstance(request.user, AnonymousUser) or not may_moderate(request):
        return {}
    found = overview()
    charts = [_chart(series, form) for series, form in _shown(found)]
    lists = [
        (_("Newest cases"), [(one, found.names[one.person]) for one in found.newest]),
        (_("Most reported"), [(one, found.names[one.person]) for one in found.most_reported]),
    ]
    return {"overview": found, "charts": charts, "case_lists": lists}


def _shown(found: Overview) -> list[tuple[Series, str]]:
    by_hour = {series.metric: series for series in found.days}
    return [
        *((series, DAY_FORM) for series in found.months),
        (by_hour[Metric.POSTS], HOUR_FORM),
        (by_hour[Metric.API_CALLS], HOUR_FORM),
        (_mean(by_hour[Metric.PAGE_MS], by_hour[Metric.PAGES]), HOUR_FORM),
        *((series, HOUR_FORM) for series in found.hours),
    ]


def _mean(sums: Series, numbers: Series) -> Series:
    points = [
        (at, round(total / number) if number else 0)
        for (at, total), (_at, number) in zip(sums.points, numbers.points, strict=True)
    ]
    return Series(sums.metric, points)


def _chart(series: Series, form: str) -> Chart:
    return chart(
        id=str(series.metric),
        title=str(TITLES[series.metric]),
        points=series.points,
        form=form,
        is_summed=series.metric is not Metric.PAGE_MS,
    )
