"""Hashtags: shown, followed, and which trend; and what else trends."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import Inputs, LimitInputs, PageInputs, TextField
from accounts.infra.api.pages import Page
from feed.api.serializers.statuses import Status, serialize_posts
from feed.api.serializers.tags import FeaturedTag, Tag, serialize_tag
from feed.api.serializers.values import EmptyObject
from feed.selectors import tags
from feed.selectors.tags import followed_tags_page
from feed.selectors.trending import trending_posts
from feed.services.tags import follow_tag, unfollow_tag
from feed.text.hashtags import is_tag_key, tag_key

from .serializers.statuses import Card
from .status_lookup import NotSupported


class TrendsInputs(LimitInputs):
    most = 20

    limit = serializers.IntegerField(default=10, min_value=1)
    offset = serializers.IntegerField(default=0, min_value=0, max_value=1000)


class TrendingStatusesInputs(TrendsInputs):
    most = 40

    limit = serializers.IntegerField(default=20, min_value=1)


class FollowedTagsInputs(PageInputs):
    most = 200

    limit = serializers.IntegerField(default=100, min_value=1)


def _key(name: str) -> str:
    """Raises Http404 for what is no tag."""
    key = tag_key(name.lstrip("#\uff03"))
    if not is_tag_key(key):
        raise Http404("There can be no such hashtag.")
    return key


@endpoint("read", caller=Caller.ANYONE, returns=Tag)
def show(request: ApiRequest, tag: str) -> Any:
    """A hashtag, whether or not it was ever used."""
    key = _key(tag)
    followed = tags.followed_tags(viewer=request.uid) if request.viewer_id else []
    used = {one.tag: one.user_count for one in tags.trending_tags()}
    return serialize_tag(key, followed=followed, user_count=used.get(key, 0))


@endpoint("write:follows", returns=Tag)
def follow(request: ApiRequest, tag: str) -> Any:
    """Have public posts with it at home."""
    follow_tag(uid=request.uid, tag=_key(tag))
    return show(request, tag)


@endpoint("write:follows", returns=Tag)
def unfollow(request: ApiRequest, tag: str) -> Any:
    """Have them there no more."""
    unfollow_tag(uid=request.uid, tag=_key(tag))
    return show(request, tag)


@endpoint("read:follows", inputs=FollowedTagsInputs, returns=list[Tag])
def followed_tags(request: ApiRequest) -> Any:
    """The hashtags that one follows, the last followed first."""
    page = followed_tags_page(viewer=request.uid, **request.page_bounds)
    items = [serialize_tag(one, followed=page.tags) for one in page.tags]
    return Page(results=items, older_cursor=page.older_cursor, newer_cursor=page.newer_cursor)


def _stretch(request: ApiRequest, every: Sequence[Any]) -> tuple[Sequence[Any], int | None]:
    """What is asked for of these, and where it goes on."""
    end = request.inputs["offset"] + request.inputs["limit"]
    return every[request.inputs["offset"] : end], end if len(every) > end else None


@endpoint(caller=Caller.ANYONE, inputs=TrendsInputs, returns=list[Tag])
def trending_tags(request: ApiRequest) -> Any:
    """The hashtags that most people have used in the last 24 hours."""
    known = tags.followed_tags(viewer=request.uid) if request.viewer_id else []
    found, offset = _stretch(request, tags.trending_tags())
    items = [serialize_tag(one.tag, followed=known, user_count=one.people) for one in found]
    return Page(results=items, next_offset=offset)


@endpoint(caller=Caller.ANYONE, inputs=TrendsInputs, returns=list[Tag])
def trending_tags_v1(request: ApiRequest) -> Any:
    """The same, where older clients ask for it."""
    return trending_tags(request)


@endpoint(caller=Caller.ANYONE, inputs=TrendingStatusesInputs, returns=list[Status])
def trending_statuses(request: ApiRequest) -> Any:
    """The public posts of the last 24 hours that most people like and share."""
    found, offset = _stretch(request, trending_posts(viewer=request.viewer_id))
    return Page(results=serialize_posts(posts=found, viewer=request.viewer_id), next_offset=offset)


@endpoint(caller=Caller.ANYONE, inputs=TrendsInputs, returns=list[Card])
def trending_links(request: ApiRequest) -> Any:
    """Nothing: links do not trend here."""
    return []


# --- Featured on profiles, which they cannot be here ---------------------------------------------
class FeaturedTagInputs(Inputs):
    name = TextField(required=True, allow_blank=False, max_length=500, one_line=True)


@endpoint("read:accounts", returns=list[FeaturedTag])
def featured_tags(request: ApiRequest) -> Any:
    """Nothing: profiles have no hashtags here."""
    return []


@endpoint("read:accounts", returns=list[Tag])
def featured_tag_suggestions(request: ApiRequest) -> Any:
    """Nothing: profiles have no hashtags here."""
    return []


@endpoint("write:accounts", inputs=FeaturedTagInputs, returns=FeaturedTag)
def feature_tag(request: ApiRequest) -> Any:
    """Refused: profiles have no hashtags here."""
    raise NotSupported(_("Profiles have no hashtags here."))


@endpoint("write:accounts", returns=EmptyObject)
def unfeature_tag(request: ApiRequest, featured_id: int) -> Any:
    """Not found: profiles have no hashtags here."""
    raise Http404("There are none.")
