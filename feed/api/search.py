"""Search for people, posts and hashtags in one."""

from typing import Any, TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404
from django.urls import Resolver404, resolve
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated

from accounts.api.authentication import INVALID_TOKEN
from accounts.infra import rate_limits
from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import IdField
from accounts.infra.client_address import client_network
from accounts.infra.paging import parse_id
from accounts.selectors.profiles import get_card_or_404
from feed.api.serializers.accounts import Account
from feed.api.serializers.statuses import Status, serialize_posts
from feed.selectors.lists import post_search_page
from feed.selectors.tags import followed_tags, tags_with_prefix
from feed.text.phrases import phrases_in

from .accounts import AccountSearchInputs, search_accounts
from .serializers.accounts import serialize_accounts_for
from .serializers.tags import Tag, serialize_tag
from .status_lookup import reload_status

MAX_OFFSET = 200
"""Posts are found again for each page, up to here."""


class SearchResults(TypedDict):
    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[Tag]


class SearchInputs(AccountSearchInputs):
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


@endpoint("read:search", caller=Caller.ANYONE, inputs=SearchInputs, returns=SearchResults)
def search(request: ApiRequest) -> Any:
    """People whose names begin so, public posts with these words, hashtags that begin so. With ``resolve``
    also whom or what an address of this site leads to."""
    return _found(request)


def _found(request: ApiRequest) -> SearchResults:
    given, viewer = request.inputs, request.viewer_id
    if viewer is None and (given["resolve"] or given["offset"]):
        raise NotAuthenticated(INVALID_TOKEN)
    _count(request)
    found: SearchResults = {"accounts": [], "statuses": [], "hashtags": []}
    if given["resolve"] and given["q"].startswith(("https://", "http://")):
        return _resolved(given["q"], found, viewer)
    wanted = [given["type"]] if given["type"] else [*found]
    if "accounts" in wanted:
        found["accounts"] = search_accounts(given, viewer=viewer)
    if "statuses" in wanted:
        found["statuses"] = _statuses(given, viewer)
    if "hashtags" in wanted:
        found["hashtags"] = _tags(given, viewer)
    return found


class V1SearchResults(TypedDict):
    """As older clients know it: hashtags are names."""

    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[str]


@endpoint("read:search", caller=Caller.ANYONE, inputs=SearchInputs, returns=V1SearchResults)
def search_v1(request: ApiRequest) -> Any:
    """The same, as older clients ask for it."""
    found = _found(request)
    return {**found, "hashtags": [tag["name"] for tag in found["hashtags"]]}


def _count(request: ApiRequest) -> None:
    if request.viewer_id is None:
        rate_limits.count_action(action="visitor_search", subject=client_network(request._request))
    else:
        rate_limits.count_action(action="search", subject=request.viewer_id)


def _statuses(given: dict[str, Any], viewer: int | None) -> list[Status]:
    phrases, offset = phrases_in(given["q"]), given["offset"]
    if not phrases or offset >= MAX_OFFSET:
        return []
    page = post_search_page(
        phrases=phrases,
        viewer=viewer,
        limit=offset + given["limit"],
        max_id=given["max_id"],
        min_id=given["min_id"],
        author=given["account_id"],
    )
    return serialize_posts(posts=page.posts[offset:], viewer=viewer)


def _tags(given: dict[str, Any], viewer: int | None) -> list[Tag]:
    followed = [] if viewer is None else followed_tags(viewer=viewer)
    tags = tags_with_prefix(prefix=given["q"], viewer=viewer, followed_tags=followed)
    shown = tags[given["offset"] : given["offset"] + given["limit"]]
    return [serialize_tag(tag, followed=followed) for tag in shown]


def _resolved(url: str, found: SearchResults, viewer: int | None) -> SearchResults:
    """What stands at an address of this site; of others nothing."""
    if not f"{url}/".startswith(f"{settings.SITE_URL}/"):
        return found
    parts = urlsplit(url)
    try:
        match = resolve(parts.path if parts.path.endswith("/") else f"{parts.path}/")
        ids: dict[str, Any] = match.kwargs
        if match.url_name == "profile":
            uid = get_card_or_404(username=ids["username"]).uid
            found["accounts"] = serialize_accounts_for(uids=[uid], viewer=viewer)
        elif match.url_name in ("post", "thread"):
            of_comment = parts.fragment.removeprefix("comment-")
            status = parse_id(of_comment) or ids.get("comment_id") or ids["post_id"]
            found["statuses"] = [reload_status(status_id=status, viewer=viewer)]
    except (Resolver404, Http404):
        pass
    return found
