"""Statistics of the caller's account and posts: ``/api/v1/socialsite/insights``."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from feed.selectors import insights
from feed.selectors.insights import PERIODS, Insights, post_insights

from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import Inputs
from .serializers.values import DateTime, Id, format_datetime
from .status_lookup import find_post


class InsightsPoint(TypedDict):
    """The number of events in an interval. ``at`` is the start of the interval."""

    at: DateTime
    value: int


class InsightsSeries(TypedDict):
    metric: str
    total: int
    data: list[InsightsPoint]


class TopStatus(TypedDict):
    id: Id
    views: int


class StatusInsights(TypedDict):
    period: str
    series: list[InsightsSeries]


class AccountInsights(StatusInsights):
    """The insights of an account over a period.

    ``active_hours`` has 24 numbers, one for each hour of the day: the fraction of the followers' visits in
    this hour. It is null if visits of too few followers are recorded.
    """

    top_statuses: list[TopStatus]
    active_hours: list[float] | None


class InsightsInputs(Inputs):
    period = serializers.ChoiceField(choices=list(PERIODS), default="week")


@endpoint("read:statuses", inputs=InsightsInputs, returns=AccountInsights, tag="socialsite")
def account_insights(request: ApiRequest) -> Any:
    """Return views, likes, comments, shares and new followers of the caller's account over a period."""
    result = insights.account_insights(uid=request.uid, period=request.inputs["period"])
    hours = result.active_hours
    return {
        **_serialize_insights(result),
        "top_statuses": [{"id": str(top.post.id), "views": top.views} for top in result.top_posts],
        "active_hours": None if hours is None else [share for _at, share in hours],
    }


@endpoint("read:statuses", inputs=InsightsInputs, returns=StatusInsights, tag="socialsite")
def status_insights(request: ApiRequest, status_id: int) -> Any:
    """Return views, likes, comments and shares of one of the caller's posts over a period."""
    post = find_post(status_id=status_id, viewer=request.uid)
    if not post.is_own:
        raise Http404("Not the caller's own post.")
    return _serialize_insights(post_insights(post=post, period=request.inputs["period"]))


def _serialize_insights(insights_view: Insights) -> StatusInsights:
    return {
        "period": insights_view.period.name,
        "series": [
            {
                "metric": str(series.metric),
                "total": series.total,
                "data": [
                    {"at": format_datetime(start), "value": value} for start, value in series.points
                ],
            }
            for series in insights_view.series
        ],
    }
