"""Hashtags: shown, followed, and which trend; and what else trends."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.api import ApiRequest, Bounded, Inputs, Page, TextField, Who, Window, endpoint
from feed import selectors, services
from feed.text.hashtags import is_key, tag_key

from .entities import FeaturedTag, Nothing, Status, Tag, statuses_of, tag_json
from .entities.statuses import Card
from .found import NotHere


class Trends(Bounded):
    most = 20

    limit = serializers.IntegerField(default=10, min_value=1)
    offset = serializers.IntegerField(default=0, min_value=0, max_value=1000)


class TrendingStatuses(Trends):
    most = 40

    limit = serializers.IntegerField(default=20, min_value=1)


class Followed(Window):
    most = 200

    limit = serializers.IntegerField(default=100, min_value=1)


def _key(name: str) -> str:
    """Raises Http404 for what is no tag."""
    key = tag_key(name.lstrip("#\uff03"))
    if not is_key(key):
        raise Http404("There can be no such hashtag.")
    return key


@endpoint("read", who=Who.ANYBODY, returns=Tag)
def show(request: ApiRequest, tag: str) -> Any:
    """A hashtag, whether or not it was ever used."""
    key = _key(tag)
    followed = selectors.followed_tags(reader=request.uid) if request.viewer else []
    used = {one.tag: one.people for one in selectors.trending_tags()}
    return tag_json(key, followed=followed, people=used.get(key, 0))


@endpoint("write:follows", returns=Tag)
def follow(request: ApiRequest, tag: str) -> Any:
    """Have public posts with it at home."""
    services.follow_tag(reader=request.uid, tag=_key(tag))
    return show(request, tag)


@endpoint("write:follows", returns=Tag)
def unfollow(request: ApiRequest, tag: str) -> Any:
    """Have them there no more."""
    services.unfollow_tag(reader=request.uid, tag=_key(tag))
    return show(request, tag)


@endpoint("read:follows", takes=Followed, returns=list[Tag])
def followed(request: ApiRequest) -> Any:
    """The hashtags that one follows, the last followed first."""
    page = selectors.followed_tags_page(reader=request.uid, **request.window)
    items = [tag_json(one, followed=page.tags) for one in page.tags]
    return Page(items=items, older=page.older, newer=page.newer)


def _stretch(request: ApiRequest, every: Sequence[Any]) -> tuple[Sequence[Any], int | None]:
    """What is asked for of these, and where it goes on."""
    end = request.given["offset"] + request.given["limit"]
    return every[request.given["offset"] : end], end if len(every) > end else None


@endpoint(who=Who.ANYBODY, takes=Trends, returns=list[Tag])
def trending(request: ApiRequest) -> Any:
    """The hashtags that most people have used in the last 24 hours."""
    known = selectors.followed_tags(reader=request.uid) if request.viewer else []
    found, offset = _stretch(request, selectors.trending_tags())
    items = [tag_json(one.tag, followed=known, people=one.people) for one in found]
    return Page(items=items, offset=offset)


@endpoint(who=Who.ANYBODY, takes=Trends, returns=list[Tag])
def trending_v1(request: ApiRequest) -> Any:
    """The same, where older clients ask for it."""
    return trending(request)


@endpoint(who=Who.ANYBODY, takes=TrendingStatuses, returns=list[Status])
def trending_statuses(request: ApiRequest) -> Any:
    """The public posts of the last 24 hours that most people like and share."""
    found, offset = _stretch(request, selectors.trending_posts(viewer=request.viewer))
    return Page(items=statuses_of(views=found, viewer=request.viewer), offset=offset)


@endpoint(who=Who.ANYBODY, takes=Trends, returns=list[Card])
def trending_links(request: ApiRequest) -> Any:
    """Nothing: links do not trend here."""
    return []


# --- Featured on profiles, which they cannot be here ---------------------------------------------
class Featured(Inputs):
    name = TextField(required=True, allow_blank=False, max_length=500, one_line=True)


@endpoint("read:accounts", returns=list[FeaturedTag])
def featured(request: ApiRequest) -> Any:
    """Nothing: profiles have no hashtags here."""
    return []


@endpoint("read:accounts", returns=list[Tag])
def featured_suggestions(request: ApiRequest) -> Any:
    """Nothing: profiles have no hashtags here."""
    return []


@endpoint("write:accounts", takes=Featured, returns=FeaturedTag)
def feature(request: ApiRequest) -> Any:
    """Refused: profiles have no hashtags here."""
    raise NotHere(_("Profiles have no hashtags here."))


@endpoint("write:accounts", returns=Nothing)
def unfeature(request: ApiRequest, featured_id: int) -> Any:
    """Not found: profiles have no hashtags here."""
    raise Http404("There are none.")
