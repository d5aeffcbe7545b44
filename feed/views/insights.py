"""Pages and CSV files with the stats of the viewer's own account and posts."""

import csv

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.viewer import signed_in_user
from feed.charts import Chart, bar_chart
from feed.selectors.insights import PERIODS, Insights, account_insights, post_insights
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post
from feed.stats import Metric

DEFAULT_PERIOD = "week"
LABELS = {
    Metric.VIEWS: gettext_lazy("Views"),
    Metric.LIKES: gettext_lazy("Likes"),
    Metric.COMMENTS: gettext_lazy("Comments"),
    Metric.SHARES: gettext_lazy("Shares"),
    Metric.FOLLOWERS: gettext_lazy("New followers"),
}
DATE_FORMATS = {"hour": "H:i", "day": "H:i", "week": "D j M", "month": "j M", "all": "M Y"}
"""Django date formats of bar labels, by name of the period."""


@require_safe
@login_required
def show_account_insights(request: HttpRequest) -> HttpResponse:
    insights = account_insights(uid=signed_in_user(request).pk, period=_period(request))
    if _wants_csv(request):
        return _csv(insights, "account")
    return _page(request, insights, {})


@require_safe
@login_required
def show_post_insights(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    view = visible_post(post_id=post_id, viewer=signed_in_user(request).pk)
    if not view.is_own:
        raise Http404("Not the viewer's own post.")
    if view.author.username != username or view.id != post_id:
        return redirect("post_insights", view.author.username, view.id)
    insights = post_insights(post=view, period=_period(request))
    if _wants_csv(request):
        return _csv(insights, f"post-{view.id}")
    return _page(request, insights, {"post": view, "totals": _totals(view)})


def _page(request: HttpRequest, insights: Insights, context: dict[str, object]) -> HttpResponse:
    views_are_on = settings.COUNT_VIEWS and signed_in_user(request).has_view_counts
    context |= {
        "insights": insights,
        "periods": PERIODS.values(),
        "charts": _charts(insights),
        "views_are_on": views_are_on,
        "time_zone": timezone.get_current_timezone_name().replace("_", " "),
    }
    return render(request, "feed/insights.html", context)


def _charts(insights: Insights) -> list[Chart]:
    charts = [
        bar_chart(
            id=str(series.metric),
            title=str(LABELS[series.metric]),
            points=series.points,
            label_format=DATE_FORMATS[insights.period.name],
        )
        for series in insights.series
    ]
    if insights.active_hours:
        charts.append(
            bar_chart(
                id="active-hours",
                title=_("When your followers are active"),
                points=insights.active_hours,
                label_format="H:i",
                is_share=True,
            )
        )
    return charts


def _totals(post: PostView) -> list[tuple[str, int]]:
    """Return the exact totals from the post. The sums of the charts may miss some events."""
    return [
        (str(LABELS[Metric.LIKES]), post.row.likes),
        (str(LABELS[Metric.COMMENTS]), post.row.comments),
        (str(LABELS[Metric.SHARES]), post.row.shares),
    ]


def _csv(insights: Insights, name: str) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    file = f"insights-{name}-{insights.period.name}.csv"
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    writer = csv.writer(response)
    writer.writerow(["from", *(str(series.metric) for series in insights.series)])
    for row in zip(*(series.points for series in insights.series), strict=True):
        writer.writerow([row[0][0].isoformat(), *(number for _at, number in row)])
    return response


def _period(request: HttpRequest) -> str:
    period = request.GET.get("period", DEFAULT_PERIOD)
    if period not in PERIODS:
        raise Http404("No such period.")
    return period


def _wants_csv(request: HttpRequest) -> bool:
    return request.GET.get("format") == "csv"
