"""Endpoints that Mastodon does not have. Their paths begin with ``/api/v1/socialsite/``."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from feed.selectors.insights import PERIODS, Insights, post_insights
from feed.selectors.insights import account_insights as select_account_insights
from feed.selectors.post_view import PostView
from feed.timeline.home import home_page, home_page_oldest_first
from feed.timeline.progress import delivery_progress
from feed.timeline.quiet_authors import quiet_authors_page

from .plumbing.endpoints import ApiRequest, Page, endpoint
from .plumbing.inputs import CursorField, Inputs, LimitField, PageInputs
from .serializers.statuses import Status, serialize_posts
from .serializers.values import DateTime, Id, format_datetime
from .status_lookup import find_post


class DeliveryProgress(TypedDict):
    """``reached`` of the author's ``followers`` have the post. ``state`` is pending, done or failed."""

    reached: int
    followers: int
    state: str


class AuthorRun(TypedDict):
    """Consecutive posts and shares by one account. The site shows ``collapsed`` behind "N more".

    ``is_caught_up`` is true for the first run of posts that the caller has already seen.
    """

    account_id: Id
    statuses: list[Status]
    collapsed: list[Status]
    is_caught_up: bool


class HomeTimeline(TypedDict):
    """A page of the home timeline.

    ``position`` is the id of the newest post that the caller has seen. ``unread_count`` is the number of
    newer posts by other users, or null except on the first page. ``is_unread_exact`` is false if there are
    more unread posts than ``unread_count``. ``older_cursor`` is the value of ``max_id`` for the next page,
    and ``newer_cursor`` the value of ``min_id`` for the previous page. ``empty_reason`` is "follows_nobody"
    or "nobody_posted", or "" if the timeline is not empty.
    """

    runs: list[AuthorRun]
    unread_count: int | None
    is_unread_exact: bool
    position: Id | None
    is_backfilling: bool
    empty_reason: str
    older_cursor: Id | None
    newer_cursor: Id | None


class InfrequentInputs(Inputs):
    limit = LimitField()
    max_id = serializers.IntegerField(default=0, min_value=0, max_value=10_000)


class UnreadInputs(Inputs):
    limit = LimitField()
    min_id = CursorField()


class HomeInputs(PageInputs):
    limit = LimitField(min_value=1)


@endpoint("read:statuses", inputs=HomeInputs, returns=HomeTimeline, tag="socialsite")
def home(request: ApiRequest) -> Any:
    """Return the home timeline with the unread count. Runs of posts by one author are collapsed."""
    page = home_page(viewer=request.uid, bounds=request.page_bounds)
    status_by_id = {status["id"]: status for status in serialize_posts(posts=page.posts)}
    return {
        "runs": [
            {
                "account_id": str(run.entry_author.uid),
                "statuses": [
                    status_by_id[entry_id]
                    for entry_id in map(_entry_id, run.posts)
                    if entry_id in status_by_id
                ],
                "collapsed": [
                    status_by_id[entry_id]
                    for entry_id in map(_entry_id, run.collapsed_posts)
                    if entry_id in status_by_id
                ],
                "is_caught_up": run.follows_new_posts,
            }
            for run in page.runs()
        ],
        "unread_count": page.unread_count,
        "is_unread_exact": page.is_unread_exact,
        "position": None if page.position is None else str(page.position),
        "is_backfilling": page.is_backfilling,
        "empty_reason": page.empty_reason,
        "older_cursor": page.older_cursor,
        "newer_cursor": page.newer_cursor,
    }


def _entry_id(post: PostView) -> str:
    return str(post.entry_id)


@endpoint("read:statuses", inputs=InfrequentInputs, returns=list[Status], tag="socialsite")
def infrequent(request: ApiRequest) -> Any:
    """Return the newest post of each followed user. Posts by users who post least often come first.

    Unlike in other endpoints, ``max_id`` is a number of posts to skip.
    """
    offset, limit = request.inputs["max_id"], request.inputs["limit"]
    page = quiet_authors_page(viewer=request.uid, limit=limit, offset=offset)
    newer_offset = max(0, offset - limit) if offset else None
    return Page(
        serialize_posts(posts=page.posts),
        older_cursor=page.older_cursor,
        newer_cursor=newer_offset,
    )


@endpoint("read:statuses", inputs=UnreadInputs, returns=list[Status], tag="socialsite")
def unread(request: ApiRequest) -> Any:
    """Return the posts that the caller has not seen, oldest first. Pass ``min_id`` for the next page."""
    page = home_page_oldest_first(viewer=request.uid, **request.inputs)
    statuses = serialize_posts(posts=page.posts)
    return Page(results=statuses, newer_cursor=page.newer_cursor)


@endpoint("read:statuses", returns=DeliveryProgress, tag="socialsite")
def delivery(request: ApiRequest, status_id: int) -> Any:
    """Return how many followers have received the caller's post. 404 if the post needs no delivery."""
    progress = delivery_progress(post_id=status_id, viewer=request.uid)
    if progress is None:
        raise Http404("No such delivery.")
    return {
        "reached": progress.reached,
        "followers": progress.audience_size,
        "state": progress.state,
    }


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
    this hour, with noise. It is null if visits of too few followers are recorded.
    """

    top_statuses: list[TopStatus]
    active_hours: list[float] | None


class InsightsInputs(Inputs):
    period = serializers.ChoiceField(choices=list(PERIODS), default="week")


@endpoint("read:statuses", inputs=InsightsInputs, returns=AccountInsights, tag="socialsite")
def account_insights(request: ApiRequest) -> Any:
    """Return views, likes, comments, shares and new followers of the caller's account over a period."""
    result = select_account_insights(uid=request.uid, period=request.inputs["period"])
    hours = result.active_hours
    return {
        **_serialize_insights(result),
        "top_statuses": [{"id": str(post.id), "views": views} for post, views in result.top_posts],
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
