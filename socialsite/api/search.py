"""Search for accounts, posts and hashtags in one call."""

from typing import Any, TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404
from django.urls import Resolver404, resolve
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated

from accounts.infra import rate_limits
from accounts.infra.client_address import client_network
from accounts.infra.cursors import PageBounds, parse_id
from accounts.selectors.access_tokens import INVALID_TOKEN
from accounts.selectors.profiles import get_card_or_404
from feed.selectors.search import search_posts
from feed.selectors.search_query import parse_query
from feed.selectors.tags import tags_with_prefix

from .accounts import AccountSearchInputs, search_accounts
from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import CursorField, IdField, LimitField
from .serializers.accounts import Account, serialize_accounts_for
from .serializers.statuses import Status, serialize_posts
from .status_lookup import reload_status
from .tags import Tag, serialize_tag, tags_of

MAX_OFFSET = 200
"""Maximum number of skipped posts. Large offsets are slow, because each page repeats the whole search."""


class SearchResults(TypedDict):
    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[Tag]


class SearchInputs(AccountSearchInputs):
    limit = LimitField(20)
    type = serializers.ChoiceField(
        choices=["accounts", "hashtags", "statuses"], required=False, allow_blank=True, default=""
    )
    account_id = IdField(allow_null=True)
    max_id = CursorField()
    min_id = CursorField()
    exclude_unreviewed = serializers.BooleanField(required=False, default=False)

    def validate(self, inputs: dict[str, Any]) -> dict[str, Any]:
        inputs = super().validate(inputs)
        return inputs if inputs["type"] else {**inputs, "offset": 0}


@endpoint("read:search", caller=Caller.ANYONE, inputs=SearchInputs, returns=SearchResults)
def search(request: ApiRequest) -> Any:
    """Search accounts by words, hashtags by the start of the name, and public posts by words and operators.

    With ``resolve``, ``q`` may also be the URL of an account or post on this site.
    """
    inputs, viewer = request.inputs, request.viewer_id
    if viewer is None and (inputs["resolve"] or inputs["offset"]):
        raise NotAuthenticated(INVALID_TOKEN)
    if viewer is None:
        rate_limits.count_action(action="visitor_search", subject=client_network(request._request))
    else:
        rate_limits.count_action(action="search", subject=viewer)
    results: SearchResults = {"accounts": [], "statuses": [], "hashtags": []}
    if inputs["resolve"] and inputs["q"].startswith(("https://", "http://")):
        return _resolve_url(inputs["q"], results, viewer)
    if not inputs["limit"]:
        return results
    types = [inputs["type"]] if inputs["type"] else [*results]
    if "accounts" in types:
        results["accounts"] = search_accounts(inputs, viewer=viewer)
    if "statuses" in types:
        results["statuses"] = _search_statuses(inputs, viewer)
    if "hashtags" in types:
        results["hashtags"] = _search_tags(inputs, viewer)
    return results


class V1SearchResults(TypedDict):
    """Search results for older clients, where ``hashtags`` is a list of names."""

    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[str]


@endpoint("read:search", caller=Caller.ANYONE, inputs=SearchInputs, returns=V1SearchResults)
def search_v1(request: ApiRequest) -> Any:
    """Search accounts, public posts and hashtags for older clients, which expect hashtags as names."""
    results = search(request)
    return {**results, "hashtags": [tag["name"] for tag in results["hashtags"]]}


def _search_statuses(inputs: dict[str, Any], viewer: int | None) -> list[Status]:
    offset = inputs["offset"]
    if offset >= MAX_OFFSET:
        return []
    page, _problems = search_posts(
        query=parse_query(inputs["q"]),
        viewer=viewer,
        bounds=PageBounds(
            limit=offset + inputs["limit"], max_id=inputs["max_id"], since_id=inputs["min_id"]
        ),
        author=inputs["account_id"],
    )
    return serialize_posts(posts=page.posts[offset:])


def _search_tags(inputs: dict[str, Any], viewer: int | None) -> list[Tag]:
    own_tags = tags_of(viewer=viewer)
    followed = own_tags["followed"]
    tags = tags_with_prefix(prefix=inputs["q"], viewer=viewer, followed_tags=followed)
    tags.sort(key=lambda tag: (len(tag), tag))  # so the exact match stays first
    page_of_tags = tags[inputs["offset"] : inputs["offset"] + inputs["limit"]]
    return [serialize_tag(tag, **own_tags) for tag in page_of_tags]


def _resolve_url(url: str, results: SearchResults, viewer: int | None) -> SearchResults:
    """Add the account or post at a URL of this site to the empty ``results``. Ignore other URLs."""
    if not f"{url}/".startswith(f"{settings.SITE_URL}/"):
        return results
    parts = urlsplit(url)
    try:
        match = resolve(parts.path if parts.path.endswith("/") else f"{parts.path}/")
        path_ids: dict[str, Any] = match.kwargs
        if match.url_name == "profile":
            uid = get_card_or_404(username=path_ids["username"]).uid
            results["accounts"] = serialize_accounts_for(uids=[uid], viewer=viewer)
        elif match.url_name in ("post", "comment_thread"):
            comment_id = parts.fragment.removeprefix("comment-")
            status_id = parse_id(comment_id) or path_ids.get("comment_id") or path_ids["post_id"]
            results["statuses"] = [reload_status(status_id=status_id, viewer=viewer)]
    except (Resolver404, Http404):
        pass
    return results
