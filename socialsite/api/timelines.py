"""Return the home, public, hashtag and list timelines, and the caller's bookmarks and likes."""

from typing import Any

from rest_framework import serializers

from accounts.infra.viewer_keys import viewer_key
from feed.selectors.post_pages import attribute_page, link_page, public_page
from feed.selectors.posts_and_comments import ContentPage, bookmarks_page, likes_page
from feed.selectors.timeline_pages import TimelinePage
from feed.selectors.user_lists import list_timeline_page, owned_list
from feed.services import view_counts
from feed.text.hashtags import normalize_tag
from feed.timeline.home import home_page

from .plumbing.endpoints import ApiRequest, Caller, Page, endpoint
from .plumbing.inputs import PageInputs, StringField
from .serializers.comments import serialize_statuses
from .serializers.statuses import Status, serialize_posts

MAX_EXTRA_TAGS = 10


class TimelineInputs(PageInputs):
    local = serializers.BooleanField(required=False, default=False)
    remote = serializers.BooleanField(required=False, default=False)
    only_media = serializers.BooleanField(required=False, default=False)


def status_page(*, page: TimelinePage, request: ApiRequest) -> Page:
    """Serialize a page of posts, and count a view of each post."""
    count_views(request=request, post_ids=[post.id for post in page.posts])
    newest_id = page.posts[0].entry_id if page.posts else None
    return Page.around(page, serialize_posts(posts=page.posts), first_cursor=newest_id)


def count_views(*, request: ApiRequest, post_ids: list[int]) -> None:
    """Count a view of each post by the caller. Costs no database command."""
    view_counts.count_views(post_ids=post_ids, viewer_key=viewer_key(request._request))


@endpoint("read:statuses", inputs=TimelineInputs, returns=list[Status])
def home(request: ApiRequest) -> Any:
    """Return posts and shares of the accounts and hashtags that the caller follows."""
    page = home_page(viewer=request.uid, bounds=request.page_bounds, counts_unread=False)
    return status_page(page=page, request=request)


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=TimelineInputs, returns=list[Status])
def public(request: ApiRequest) -> Any:
    """Return all public posts, newest first."""
    if request.inputs["remote"]:
        return []  # this site is not connected to other sites
    page = public_page(
        viewer=request.viewer_id,
        only_with_pictures=request.inputs["only_media"],
        bounds=request.page_bounds,
    )
    return status_page(page=page, request=request)


class TagListField(serializers.ListField):
    child = StringField(max_length=500)

    def __init__(self) -> None:
        super().__init__(required=False, default=list, max_length=MAX_EXTRA_TAGS)


class TagTimelineInputs(TimelineInputs):
    any = TagListField()
    all = TagListField()
    none = TagListField()


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=TagTimelineInputs, returns=list[Status])
def tag(request: ApiRequest, tag: str) -> Any:
    """Return public posts with the hashtag, or with at least one hashtag of ``any``.

    The posts must also have every hashtag of ``all`` and no hashtag of ``none``.
    """
    inputs = request.inputs
    if inputs["remote"]:
        return []  # this site is not connected to other sites
    page = attribute_page(
        kind="hashtag",
        value=sorted({normalize_tag(name) for name in (tag, *inputs["any"])}),
        required_values={normalize_tag(name) for name in inputs["all"]},
        excluded_values={normalize_tag(name) for name in inputs["none"]},
        only_with_pictures=inputs["only_media"],
        viewer=request.viewer_id,
        bounds=request.page_bounds,
    )
    return status_page(page=page, request=request)


class LinkTimelineInputs(TimelineInputs):
    url = StringField(max_length=2000)


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=LinkTimelineInputs, returns=list[Status])
def link(request: ApiRequest) -> Any:
    """Return public posts with a link to the page ``url``, newest first."""
    page = link_page(
        url=request.inputs["url"], viewer=request.viewer_id, bounds=request.page_bounds
    )
    return status_page(page=page, request=request)


@endpoint("read:bookmarks", inputs=PageInputs, returns=list[Status], tag="bookmarks")
def bookmarks(request: ApiRequest) -> Any:
    """Return the caller's bookmarked posts and comments, last bookmarked first."""
    page = bookmarks_page(owner=request.uid, bounds=request.page_bounds)
    return mixed_status_page(page=page, viewer=request.uid)


@endpoint("read:favourites", inputs=PageInputs, returns=list[Status], tag="favourites")
def favourites(request: ApiRequest) -> Any:
    """Return the posts and comments that the caller likes, newest post or comment first."""
    page = likes_page(owner=request.uid, bounds=request.page_bounds)
    return mixed_status_page(page=page, viewer=request.uid)


def mixed_status_page(*, page: ContentPage, viewer: int | None) -> Page:
    statuses = serialize_statuses(items=page.contents, viewer=viewer)
    return Page.around(page, statuses, first_cursor=page.first_cursor)


@endpoint("read:lists", inputs=TimelineInputs, returns=list[Status])
def user_list(request: ApiRequest, list_id: int) -> Any:
    """Return posts by the members of a list."""
    people_list = owned_list(owner=request.uid, list_id=list_id)
    page = list_timeline_page(user_list=people_list, owner=request.uid, bounds=request.page_bounds)
    return status_page(page=page, request=request)
