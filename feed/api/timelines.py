"""Lists of posts: at home, everybody's, about a hashtag, of a list of people."""

from typing import Any

from rest_framework import serializers

from accounts.api import ApiRequest, Page, StringField, Who, Window, endpoint
from accounts.visitors import visitor_key
from feed import selectors, services
from feed.selectors import TimelinePage, WritingsPage
from feed.text.hashtags import tag_key

from .entities import Status, statuses_of, statuses_of_writings

MORE_TAGS = 10


class Timeline(Window):
    local = serializers.BooleanField(required=False, default=False)
    remote = serializers.BooleanField(required=False, default=False)
    only_media = serializers.BooleanField(required=False, default=False)


def status_page(*, page: TimelinePage, request: ApiRequest) -> Page:
    """Return statuses with links both ways, and count them as viewed.

    There is a link upwards also on the first page, because clients ask for what is new.
    """
    count_views(request=request, post_ids=[post.id for post in page.posts])
    newer = page.newer
    if newer is None and page.posts:
        newer = str(page.posts[0].entry)
    items = statuses_of(views=page.posts, viewer=request.viewer)
    return Page(items=items, older=page.older, newer=newer)


def count_views(*, request: ApiRequest, post_ids: list[int]) -> None:
    """Count these posts as viewed by the caller. No database command."""
    services.count_views(post_ids=post_ids, visitor=visitor_key(request._request))


@endpoint("read:statuses", takes=Timeline, returns=list[Status])
def home(request: ApiRequest) -> Any:
    """What the people whom one follows have posted and shared."""
    page = selectors.home_page(reader=request.uid, **request.window)
    return status_page(page=page, request=request)


@endpoint("read:statuses", who=Who.ANYBODY, takes=Timeline, returns=list[Status])
def public(request: ApiRequest) -> Any:
    """What everybody has posted for everybody."""
    if request.given["remote"]:
        return []  # there is no other site
    page = selectors.public_page(
        viewer=request.viewer, with_pictures=request.given["only_media"], **request.window
    )
    return status_page(page=page, request=request)


class Tags(serializers.ListField):
    def __init__(self) -> None:
        child = StringField(max_length=500)
        super().__init__(child=child, required=False, default=list, max_length=MORE_TAGS)


class OfTags(Timeline):
    any = Tags()
    all = Tags()
    none = Tags()


@endpoint("read:statuses", who=Who.ANYBODY, takes=OfTags, returns=list[Status])
def tag(request: ApiRequest, tag: str) -> Any:
    """Public posts with a hashtag or ``any`` of some more, with ``all`` and ``none`` of others."""
    given = request.given
    if given["remote"]:
        return []  # there is no other site
    page = selectors.about_page(
        kind="hashtag",
        value=sorted({tag_key(name) for name in (tag, *given["any"])}),
        with_all={tag_key(name) for name in given["all"]},
        with_none={tag_key(name) for name in given["none"]},
        with_pictures=given["only_media"],
        viewer=request.viewer,
        **request.window,
    )
    return status_page(page=page, request=request)


class Link(Timeline):
    url = StringField(max_length=2000)


@endpoint("read:statuses", who=Who.ANYBODY, takes=Link, returns=list[Status])
def link(request: ApiRequest) -> Any:
    """Nothing: links do not trend here."""
    return []


@endpoint("read:bookmarks", takes=Window, returns=list[Status], tag="bookmarks")
def bookmarks(request: ApiRequest) -> Any:
    """What one keeps, posts and comments, the last kept first."""
    page = selectors.bookmarks_page(owner=request.uid, **request.window)
    return writings_page(page=page, viewer=request.uid)


@endpoint("read:favourites", takes=Window, returns=list[Status], tag="favourites")
def favourites(request: ApiRequest) -> Any:
    """What one likes, posts and comments, the newest of them first."""
    page = selectors.likes_page(owner=request.uid, **request.window)
    return writings_page(page=page, viewer=request.uid)


def writings_page(*, page: WritingsPage, viewer: int) -> Page:
    items = statuses_of_writings(items=page.items, viewer=viewer)
    return Page(items=items, older=page.older, newer=page.newer or page.top)


@endpoint("read:lists", takes=Timeline, returns=list[Status])
def people_list(request: ApiRequest, list_id: int) -> Any:
    """What the people on a list have posted."""
    found = selectors.people_list(owner=request.uid, list_id=list_id)
    page = selectors.list_page(found=found, owner=request.uid, **request.window)
    return status_page(page=page, request=request)
