"""What this site has beyond Mastodon: below ``/api/v1/socialsite/``."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import IdField, LimitInputs, PageInputs
from accounts.infra.api.pages import Page
from feed.api.serializers.statuses import Status, serialize_posts
from feed.selectors.pages import PostView
from feed.timeline.home import home_page, home_page_oldest_first
from feed.timeline.progress import delivery_progress
from feed.timeline.quiet_authors import quiet_authors_page

from .serializers.values import Id


class DeliveryProgress(TypedDict):
    """Of ``people`` followers ``reached`` have it. ``state``: pending, done or failed."""

    reached: int
    followers: int
    state: str


class AuthorRun(TypedDict):
    """Posts and shares by one person in a row; the site shows ``folded`` behind "N more". ``caught_up``:
    what is above is new since the last visit, and this is not."""

    account_id: Id
    statuses: list[Status]
    collapsed: list[Status]
    is_caught_up: bool


class HomeTimeline(TypedDict):
    """``unread``: how many are new since the last visit, on the first page; ``unread_is_exact``: false if
    there are more. ``older``, ``newer``: for ``max_id`` and ``min_id``. ``reason``: why it is empty."""

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
    min_id = IdField()


@endpoint("read:statuses", inputs=PageInputs, returns=HomeTimeline, tag="socialsite")
def home(request: ApiRequest) -> Any:
    """Home with long runs of one person folded, and how much of it is new."""
    page = home_page(viewer=request.uid, **request.page_bounds)
    known = {one["id"]: one for one in serialize_posts(posts=page.posts, viewer=request.uid)}
    return {
        "runs": [
            {
                "account_id": str(run.entry_author.uid),
                "statuses": [known[one] for one in map(_id, run.posts) if one in known],
                "folded": [known[one] for one in map(_id, run.collapsed_posts) if one in known],
                "caught_up": run.follows_new_posts,
            }
            for run in page.runs()
        ],
        "unread": page.unread_count,
        "unread_is_exact": page.is_unread_exact,
        "position": None if page.position is None else str(page.position),
        "being_built": page.is_backfilling,
        "reason": page.empty_reason,
        "older": page.older_cursor,
        "newer": page.newer_cursor,
    }


def _id(one: PostView) -> str:
    return str(one.entry_id)


@endpoint("read:statuses", inputs=InfrequentInputs, returns=list[Status], tag="socialsite")
def infrequent(request: ApiRequest) -> Any:
    """The newest post of each followed person, of those first who write least. ``max_id``: how many came
    before."""
    after, limit = request.inputs["max_id"], request.inputs["limit"]
    page = quiet_authors_page(viewer=request.uid, limit=limit, offset=after)
    newer = max(0, after - limit) if after else None
    return Page(
        serialize_posts(posts=page.posts, viewer=request.uid),
        older_cursor=page.older_cursor,
        newer_cursor=newer,
    )


@endpoint("read:statuses", inputs=UnreadInputs, returns=list[Status], tag="socialsite")
def unread(request: ApiRequest) -> Any:
    """What is new since the last visit, the oldest first; ``min_id`` goes on."""
    page = home_page_oldest_first(viewer=request.uid, **request.inputs)
    items = serialize_posts(posts=page.posts, viewer=request.uid)
    return Page(results=items, newer_cursor=page.newer_cursor)


@endpoint("read:statuses", returns=DeliveryProgress, tag="socialsite")
def delivery(request: ApiRequest, status_id: int) -> Any:
    """How far one's own post is on its way to one's followers. Not found where nothing is brought."""
    found = delivery_progress(post_id=status_id, viewer=request.uid)
    if found is None:
        raise Http404("No such delivery.")
    return {"reached": found.reached, "people": found.audience_size, "state": found.state}
