"""Numbers over time for an author's own account and posts: ``/api/v1/socialsite/insights``."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.api import ApiRequest, Inputs, endpoint
from feed import selectors
from feed.selectors import PERIODS

from .entities.values import Id, Moment, at
from .found import find_post


class Point(TypedDict):
    """``at``: the start of the span that ``value`` is for."""

    at: Moment
    value: int


class SeriesJson(TypedDict):
    metric: str
    total: int
    data: list[Point]


class TopPostJson(TypedDict):
    id: Id
    views: int


class InsightsJson(TypedDict):
    period: str
    series: list[SeriesJson]


class AccountInsightsJson(InsightsJson):
    """``active_hours``: the share of visits of followers by hour, null if too few followers are known."""

    top_statuses: list[TopPostJson]
    active_hours: list[float] | None


class Asked(Inputs):
    period = serializers.ChoiceField(choices=list(PERIODS), default="week")


@endpoint("read:statuses", takes=Asked, returns=AccountInsightsJson, tag="socialsite")
def account(request: ApiRequest) -> Any:
    """Views, likes, comments, shares and new followers of one's own account over a period."""
    found = selectors.account_insights(uid=request.uid, period=request.given["period"])
    hours = found.active_hours
    return {
        **_insights(found),
        "top_statuses": [{"id": str(top.post.id), "views": top.views} for top in found.top_posts],
        "active_hours": None if hours is None else [share for _at, share in hours],
    }


@endpoint("read:statuses", takes=Asked, returns=InsightsJson, tag="socialsite")
def status(request: ApiRequest, status_id: int) -> Any:
    """The numbers of one of one's own posts over a period."""
    post = find_post(status_id=status_id, viewer=request.uid)
    if not post.is_own:
        raise Http404("Not the caller's own post.")
    return _insights(selectors.post_insights(post=post, period=request.given["period"]))


def _insights(found: selectors.Insights) -> InsightsJson:
    return {
        "period": found.period.name,
        "series": [
            {
                "metric": str(series.metric),
                "total": series.total,
                "data": [{"at": at(start), "value": number} for start, number in series.points],
            }
            for series in found.series
        ],
    }
