"""Lists of posts: at home, everybody's, about a hashtag, of a list of people."""

from typing import Any

from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import PageInputs, StringField
from accounts.infra.api.pages import Page
from accounts.infra.viewer_keys import viewer_key
from feed.api.serializers.comments import serialize_statuses
from feed.api.serializers.statuses import Status, serialize_posts
from feed.selectors.content import ContentPage, bookmarks_page, likes_page
from feed.selectors.lists import attribute_page, public_page
from feed.selectors.pages import TimelinePage
from feed.selectors.user_lists import list_timeline_page, owned_list
from feed.services import view_counts
from feed.text.hashtags import tag_key
from feed.timeline.home import home_page

MAX_EXTRA_TAGS = 10


class TimelineInputs(PageInputs):
    local = serializers.BooleanField(required=False, default=False)
    remote = serializers.BooleanField(required=False, default=False)
    only_media = serializers.BooleanField(required=False, default=False)


def status_page(*, page: TimelinePage, request: ApiRequest) -> Page:
    """Return statuses with links both ways, and count them as viewed.

    There is a link upwards also on the first page, because clients ask for what is new.
    """
    count_views(request=request, post_ids=[post.id for post in page.posts])
    newer = page.newer_cursor
    if newer is None and page.posts:
        newer = str(page.posts[0].entry_id)
    items = serialize_posts(posts=page.posts, viewer=request.viewer_id)
    return Page(results=items, older_cursor=page.older_cursor, newer_cursor=newer)


def count_views(*, request: ApiRequest, post_ids: list[int]) -> None:
    """Count these posts as viewed by the caller. No database command."""
    view_counts.count_views(post_ids=post_ids, viewer_key=viewer_key(request._request))


@endpoint("read:statuses", inputs=TimelineInputs, returns=list[Status])
def home(request: ApiRequest) -> Any:
    """What the people whom one follows have posted and shared."""
    page = home_page(viewer=request.uid, **request.page_bounds)
    return status_page(page=page, request=request)


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=TimelineInputs, returns=list[Status])
def public(request: ApiRequest) -> Any:
    """What everybody has posted for everybody."""
    if request.inputs["remote"]:
        return []  # there is no other site
    page = public_page(
        viewer=request.viewer_id,
        only_with_pictures=request.inputs["only_media"],
        **request.page_bounds,
    )
    return status_page(page=page, request=request)


class TagListField(serializers.ListField):
    def __init__(self) -> None:
        child = StringField(max_length=500)
        super().__init__(child=child, required=False, default=list, max_length=MAX_EXTRA_TAGS)


class TagTimelineInputs(TimelineInputs):
    any = TagListField()
    all = TagListField()
    none = TagListField()


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=TagTimelineInputs, returns=list[Status])
def tag(request: ApiRequest, tag: str) -> Any:
    """Public posts with a hashtag or ``any`` of some more, with ``all`` and ``none`` of others."""
    given = request.inputs
    if given["remote"]:
        return []  # there is no other site
    page = attribute_page(
        kind="hashtag",
        value=sorted({tag_key(name) for name in (tag, *given["any"])}),
        required_values={tag_key(name) for name in given["all"]},
        excluded_values={tag_key(name) for name in given["none"]},
        only_with_pictures=given["only_media"],
        viewer=request.viewer_id,
        **request.page_bounds,
    )
    return status_page(page=page, request=request)


class LinkTimelineInputs(TimelineInputs):
    url = StringField(max_length=2000)


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=LinkTimelineInputs, returns=list[Status])
def link(request: ApiRequest) -> Any:
    """Nothing: links do not trend here."""
    return []


@endpoint("read:bookmarks", inputs=PageInputs, returns=list[Status], tag="bookmarks")
def bookmarks(request: ApiRequest) -> Any:
    """What one keeps, posts and comments, the last kept first."""
    page = bookmarks_page(owner=request.uid, **request.page_bounds)
    return mixed_status_page(page=page, viewer=request.uid)


@endpoint("read:favourites", inputs=PageInputs, returns=list[Status], tag="favourites")
def favourites(request: ApiRequest) -> Any:
    """What one likes, posts and comments, the newest of them first."""
    page = likes_page(owner=request.uid, **request.page_bounds)
    return mixed_status_page(page=page, viewer=request.uid)


def mixed_status_page(*, page: ContentPage, viewer: int) -> Page:
    items = serialize_statuses(items=page.contents, viewer=viewer)
    return Page(
        results=items,
        older_cursor=page.older_cursor,
        newer_cursor=page.newer_cursor or page.first_cursor,
    )


@endpoint("read:lists", inputs=TimelineInputs, returns=list[Status])
def user_list(request: ApiRequest, list_id: int) -> Any:
    """What the people on a list have posted."""
    found = owned_list(owner=request.uid, list_id=list_id)
    page = list_timeline_page(user_list=found, owner=request.uid, **request.page_bounds)
    return status_page(page=page, request=request)
