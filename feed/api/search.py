"""Search for people, posts and hashtags in one."""

from typing import Any, TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404
from django.urls import Resolver404, resolve
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated

from accounts import limits
from accounts import selectors as people
from accounts.api import ApiRequest, Who, endpoint
from accounts.api.authentication import INVALID
from accounts.api.inputs import IdField
from accounts.client_address import whose_limit
from accounts.paging import id_in
from feed import selectors
from feed.text.searching import phrases_in

from .accounts import Sought, found_accounts
from .entities import Account, Status, statuses_of
from .entities.people import accounts_by_id
from .entities.tags import Tag, tag_json
from .found import status_json_of

FURTHEST = 200
"""Posts are found again for each page, up to here."""


class Search(TypedDict):
    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[Tag]


class Everything(Sought):
    most = 40

    limit = serializers.IntegerField(default=20, min_value=1)
    type = serializers.ChoiceField(
        choices=["accounts", "hashtags", "statuses"], required=False, allow_blank=True, default=""
    )
    account_id = IdField(allow_null=True)
    max_id = IdField()
    min_id = IdField()
    exclude_unreviewed = serializers.BooleanField(required=False, default=False)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        given = super().validate(given)
        return given if given["type"] else {**given, "offset": 0}


@endpoint("read:search", who=Who.ANYBODY, takes=Everything, returns=Search)
def search(request: ApiRequest) -> Any:
    """People whose names begin so, public posts with these words, hashtags that begin so. With ``resolve``
    also whom or what an address of this site leads to."""
    return _found(request)


def _found(request: ApiRequest) -> Search:
    given, viewer = request.given, request.viewer
    if viewer is None and (given["resolve"] or given["offset"]):
        raise NotAuthenticated(INVALID)
    _count(request)
    found: Search = {"accounts": [], "statuses": [], "hashtags": []}
    if given["resolve"] and given["q"].startswith(("https://", "http://")):
        return _resolved(given["q"], found, viewer)
    wanted = [given["type"]] if given["type"] else [*found]
    if "accounts" in wanted:
        found["accounts"] = found_accounts(given, viewer=viewer)
    if "statuses" in wanted:
        found["statuses"] = _statuses(given, viewer)
    if "hashtags" in wanted:
        found["hashtags"] = _tags(given, viewer)
    return found


class OldSearch(TypedDict):
    """As older clients know it: hashtags are names."""

    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[str]


@endpoint("read:search", who=Who.ANYBODY, takes=Everything, returns=OldSearch)
def search_old(request: ApiRequest) -> Any:
    """The same, as older clients ask for it."""
    found = _found(request)
    return {**found, "hashtags": [tag["name"] for tag in found["hashtags"]]}


def _count(request: ApiRequest) -> None:
    if request.viewer is None:
        limits.count(action="visitor_search", who=whose_limit(request._request))
    else:
        limits.count(action="search", who=request.viewer)


def _statuses(given: dict[str, Any], viewer: int | None) -> list[Status]:
    phrases, offset = phrases_in(given["q"]), given["offset"]
    if not phrases or offset >= FURTHEST:
        return []
    page = selectors.found_posts_page(
        phrases=phrases,
        viewer=viewer,
        limit=offset + given["limit"],
        max_id=given["max_id"],
        min_id=given["min_id"],
        author=given["account_id"],
    )
    return statuses_of(views=page.posts[offset:], viewer=viewer)


def _tags(given: dict[str, Any], viewer: int | None) -> list[Tag]:
    followed = [] if viewer is None else selectors.followed_tags(reader=viewer)
    tags = selectors.tags_beginning_with(text=given["q"], viewer=viewer, followed=followed)
    shown = tags[given["offset"] : given["offset"] + given["limit"]]
    return [tag_json(tag, followed=followed) for tag in shown]


def _resolved(url: str, found: Search, viewer: int | None) -> Search:
    """What stands at an address of this site; of others nothing."""
    if not f"{url}/".startswith(f"{settings.SITE_URL}/"):
        return found
    parts = urlsplit(url)
    try:
        match = resolve(parts.path if parts.path.endswith("/") else f"{parts.path}/")
        ids: dict[str, Any] = match.kwargs
        if match.url_name == "profile":
            uid = people.person(username=ids["username"]).uid
            found["accounts"] = accounts_by_id(uids=[uid], viewer=viewer)
        elif match.url_name in ("post", "thread"):
            of_comment = parts.fragment.removeprefix("comment-")
            status = id_in(of_comment) or ids.get("comment_id") or ids["post_id"]
            found["statuses"] = [status_json_of(status_id=status, viewer=viewer)]
    except (Resolver404, Http404):
        pass
    return found
