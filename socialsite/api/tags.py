"""Look up and follow hashtags, and return trending hashtags and trending posts."""

from collections.abc import Collection, Sequence
from typing import Any, TypedDict

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers

from feed.selectors import featured_content, tags
from feed.selectors.tags import followed_tags_page
from feed.selectors.trends import trending_links as select_links
from feed.selectors.trends import trending_posts
from feed.services import tags as featured_tag_services
from feed.services.tags import follow_tag, unfollow_tag
from feed.text.hashtags import is_tag_key, normalize_tag
from feed.text.renderer import tag_path

from .plumbing.endpoints import ApiRequest, Caller, Page, endpoint
from .plumbing.inputs import Inputs, LimitField, PageInputs, TextField
from .serializers.statuses import Card, Status, serialize_link, serialize_posts
from .serializers.values import EmptyObject, Id, Url, absolute_url


class TagUsage(TypedDict):
    """The use of a hashtag or link on a day. ``day`` is the start of the day in seconds since 1970."""

    day: str
    uses: str
    accounts: str


class Tag(TypedDict):
    """A hashtag. ``id`` is the name, because hashtags have no numeric id.

    ``history`` has one entry for the last 24 hours if the hashtag is trending. Otherwise it is empty.
    """

    id: str
    name: str
    url: Url
    history: list[TagUsage]
    following: bool
    featuring: bool


class FeaturedTag(TypedDict):
    """https://docs.joinmastodon.org/entities/FeaturedTag/"""

    id: Id
    name: str
    url: Url
    statuses_count: str
    last_status_at: str | None


def serialize_tag(
    name: str, *, followed: Collection[str], featured: Collection[str], user_count: int = 0
) -> Tag:
    return {
        "id": name,
        "name": name,
        "url": absolute_url(tag_path(name)),
        "history": serialize_usage(user_count=user_count) if user_count else [],
        "following": name in followed,
        "featuring": name in featured,
    }


def serialize_featured_tags(*, author: int, username: str) -> list[FeaturedTag]:
    return [
        {
            "id": str(row.id),
            "name": row.tag,
            "url": absolute_url(reverse("profile_tag", args=[username, row.tag])),
            "statuses_count": str(row.post_count),
            "last_status_at": row.last_used_at.date().isoformat() if row.last_used_at else None,
        }
        for row in featured_content.featured_tags(author=author)
    ]


def serialize_usage(*, user_count: int) -> list[TagUsage]:
    """Return the use of a trending hashtag or link, as if all of it were today."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0)
    number = str(user_count)
    return [{"day": str(int(midnight.timestamp())), "uses": number, "accounts": number}]


class TrendsInputs(Inputs):
    limit = LimitField(10, maximum=20)
    offset = serializers.IntegerField(default=0, min_value=0, max_value=1000)


class TrendingStatusesInputs(TrendsInputs):
    limit = LimitField(20)


class FollowedTagsInputs(PageInputs):
    limit = LimitField(100, maximum=200)


def _tag_key_or_404(name: str) -> str:
    """Return the normalized hashtag (``tag_key``). Raises Http404 if the name is not a valid hashtag."""
    key = normalize_tag(name)
    if not is_tag_key(key):
        raise Http404("Not a valid hashtag.")
    return key


@endpoint("read", caller=Caller.ANYONE, returns=Tag)
def show(request: ApiRequest, tag: str) -> Any:
    """Return a hashtag, even if no post has this hashtag."""
    key = _tag_key_or_404(tag)
    user_counts = {
        trending_tag.tag: trending_tag.user_count for trending_tag in tags.trending_tags()
    }
    return serialize_tag(
        key, **tags_of(viewer=request.viewer_id), user_count=user_counts.get(key, 0)
    )


def tags_of(*, viewer: int | None) -> dict[str, Any]:
    """Return the hashtags that the viewer follows and features, as arguments of ``serialize_tag``."""
    if viewer is None:
        return {"followed": [], "featured": []}
    return {
        "followed": tags.followed_tags(viewer=viewer),
        "featured": featured_content.featured_tag_names(author=viewer),
    }


@endpoint("write:follows", returns=Tag)
def follow(request: ApiRequest, tag: str) -> Any:
    """Follow a hashtag. Public posts with the hashtag appear in the caller's home timeline."""
    follow_tag(uid=request.uid, tag=_tag_key_or_404(tag))
    return show(request, tag)


@endpoint("write:follows", returns=Tag)
def unfollow(request: ApiRequest, tag: str) -> Any:
    """Unfollow a hashtag."""
    unfollow_tag(uid=request.uid, tag=_tag_key_or_404(tag))
    return show(request, tag)


@endpoint("read:follows", inputs=FollowedTagsInputs, returns=list[Tag])
def followed_tags(request: ApiRequest) -> Any:
    """Return the hashtags that the caller follows, last followed first."""
    page = followed_tags_page(viewer=request.uid, bounds=request.page_bounds)
    names = featured_content.featured_tag_names(author=request.uid)
    serialized_tags = [
        serialize_tag(name, followed=page.items, featured=names) for name in page.items
    ]
    return Page.around(page, serialized_tags)


def _cut_page(request: ApiRequest, rows: Sequence[Any]) -> tuple[Sequence[Any], int | None]:
    """Return the requested rows, and the offset of the next page or None on the last page."""
    end = request.inputs["offset"] + request.inputs["limit"]
    return rows[request.inputs["offset"] : end], end if len(rows) > end else None


@endpoint(caller=Caller.ANYONE, inputs=TrendsInputs, returns=list[Tag])
def trending_tags(request: ApiRequest) -> Any:
    """Return the hashtags whose use has risen most in the last 24 hours."""
    caller_tags = tags_of(viewer=request.viewer_id)
    page_of_tags, next_offset = _cut_page(request, tags.trending_tags())
    serialized_tags = [
        serialize_tag(trending_tag.tag, **caller_tags, user_count=trending_tag.user_count)
        for trending_tag in page_of_tags
    ]
    return Page(results=serialized_tags, next_offset=next_offset)


@endpoint(caller=Caller.ANYONE, inputs=TrendsInputs, returns=list[Tag])
def trending_tags_v1(request: ApiRequest) -> Any:
    """Return trending hashtags at the URL that older clients use."""
    return trending_tags(request)


@endpoint(caller=Caller.ANYONE, inputs=TrendingStatusesInputs, returns=list[Status])
def trending_statuses(request: ApiRequest) -> Any:
    """Return the public posts that are active now, by likes, shares and comments, recent posts first."""
    posts, next_offset = _cut_page(request, trending_posts(viewer=request.viewer_id))
    return Page(results=serialize_posts(posts=posts), next_offset=next_offset)


class TrendingLink(Card):
    """A host in trends. ``url`` is the address that most users posted."""

    history: list[TagUsage]


@endpoint(caller=Caller.ANYONE, inputs=TrendsInputs, returns=list[TrendingLink])
def trending_links(request: ApiRequest) -> Any:
    """Return the hosts that most users link to, each with the address that most users posted."""
    links, next_offset = _cut_page(request, select_links(viewer=request.viewer_id))
    serialized = [
        {
            **serialize_link(url=link.url, host=link.host),
            "history": serialize_usage(user_count=link.user_count),
        }
        for link in links
    ]
    return Page(results=serialized, next_offset=next_offset)


# --- Featured hashtags ---------------------------------------------------------------------------
class FeaturedTagInputs(Inputs):
    name = TextField(required=True, allow_blank=False, max_length=500, one_line=True)


@endpoint("read:accounts", returns=list[FeaturedTag])
def featured_tags(request: ApiRequest) -> Any:
    """Return the hashtags on the caller's profile."""
    username = request.signed_in_user.username
    return serialize_featured_tags(author=request.uid, username=username)


@endpoint("read:accounts", returns=list[Tag])
def featured_tag_suggestions(request: ApiRequest) -> Any:
    """Return the hashtags that the caller uses most and does not feature."""
    caller_tags = tags_of(viewer=request.viewer_id)
    names = featured_content.suggested_tags(author=request.uid, excluded=caller_tags["featured"])
    return [serialize_tag(name, **caller_tags) for name in names]


@endpoint("write:accounts", inputs=FeaturedTagInputs, returns=FeaturedTag)
def add_featured_tag(request: ApiRequest) -> Any:
    """Feature a hashtag on the caller's profile."""
    tag = featured_tag_services.feature_tag(author=request.uid, name=request.inputs["name"])
    for featured_tag in featured_tags(request):
        if featured_tag["name"] == tag:
            return featured_tag
    raise Http404("A concurrent request removed the hashtag.")


@endpoint("write:accounts", returns=EmptyObject)
def remove_featured_tag(request: ApiRequest, featured_id: int) -> None:
    """Remove a hashtag from the caller's profile."""
    if not featured_tag_services.unfeature_tag(author=request.uid, featured_id=featured_id):
        raise Http404("Not featured.")


@endpoint("write:accounts", returns=Tag)
def feature(request: ApiRequest, tag: str) -> Any:
    """Feature a hashtag on the caller's profile."""
    featured_tag_services.feature_tag(author=request.uid, name=_tag_key_or_404(tag))
    return show(request, tag)


@endpoint("write:accounts", returns=Tag)
def unfeature(request: ApiRequest, tag: str) -> Any:
    """Remove a hashtag from the caller's profile."""
    key = _tag_key_or_404(tag)
    for row in featured_content.featured_tags(author=request.uid):
        if row.tag == key:
            featured_tag_services.unfeature_tag(author=request.uid, featured_id=row.id)
    return show(request, tag)
