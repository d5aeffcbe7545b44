"""Endpoints that Mastodon does not have. Their paths begin with ``/api/v1/socialsite/``."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from feed.selectors.post_view import PostView
from feed.timeline.home import home_page, home_page_oldest_first
from feed.timeline.progress import delivery_progress
from feed.timeline.quiet_authors import quiet_authors_page

from .plumbing.endpoints import ApiRequest, Page, endpoint
from .plumbing.inputs import CursorField, LimitInputs, PageInputs
from .serializers.statuses import Status, serialize_posts
from .serializers.values import Id


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


class InfrequentInputs(LimitInputs):
    max_id = serializers.IntegerField(default=0, min_value=0, max_value=10_000)


class UnreadInputs(LimitInputs):
    min_id = CursorField()


class HomeInputs(PageInputs):
    limit = serializers.IntegerField(default=None, min_value=1)


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
