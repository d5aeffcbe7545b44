"""Return the caller's account, find accounts by id, username or search, and return an account's posts."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.infra import rate_limits
from accounts.models import User
from accounts.selectors.follow_graph import count_requests
from accounts.selectors.profiles import get_profile_or_404, uid_by_username
from accounts.selectors.user_search import search_users
from accounts.user_cards import card_from_user, profile_fields_from
from accounts.usernames import local_username
from feed.selectors.post_pages import profile_page
from feed.selectors.post_view import PostView
from feed.selectors.posts_and_comments import profile_content_page
from feed.selectors.user_lists import owned_lists
from feed.selectors.visible_posts import pinned_posts
from feed.text.hashtags import normalize_tag

from .account_lists import AccountIdsInputs, AccountOffsetInputs, card_or_404
from .lists import List, serialize_list
from .plumbing.endpoints import ApiRequest, Caller, Page, endpoint
from .plumbing.inputs import Inputs, PageInputs, StringField, TextField
from .serializers.accounts import (
    Account,
    Role,
    Source,
    serialize_accounts_for,
    serialize_fields,
    serialize_own_card,
    serialize_people_rows,
)
from .serializers.statuses import (
    API_QUOTE_POLICIES,
    API_VISIBILITIES,
    Status,
    serialize_posts,
)
from .tags import FeaturedTag, serialize_featured_tags
from .timelines import count_views, mixed_status_page, status_page


@endpoint("profile", "read:accounts", returns=Account)
def verify_credentials(request: ApiRequest) -> Any:
    """Return the caller's own account."""
    return serialize_own_account(uid=request.uid)


def serialize_own_account(*, uid: int) -> Account:
    """Serialize an account for its owner. Raises Http404 if it is deactivated or deleted."""
    user = User.objects.get(pk=uid)
    if not user.is_active:
        raise Http404("No such person.")
    # Not from the cache: the change that the app has just made may have reached another process.
    account = serialize_own_card(card=card_from_user(user=user))
    source: Source = {
        "note": user.bio,
        "fields": serialize_fields(profile_fields_from(stored=user.profile_fields)),
        "privacy": API_VISIBILITIES[user.post_visibility],
        "sensitive": user.has_sensitive_media,
        "language": user.post_language or None,
        "quote_policy": API_QUOTE_POLICIES[user.quote_policy],
        "follow_requests_count": count_requests(followee=user.pk),
        "hide_collections": user.is_private,
        "discoverable": user.is_discoverable and not user.is_private,
        "indexable": not user.is_private,
    }
    role: Role = {"id": "-99", "name": "", "color": "", "permissions": "0", "highlighted": False}
    return {**account, "source": source, "role": role}


@endpoint("read:accounts", caller=Caller.ANYONE, returns=Account)
def show(request: ApiRequest, uid: int) -> Any:
    """Return an account."""
    return _serialize_one_account(uid, request.viewer_id)


def _serialize_one_account(uid: int, viewer: int | None) -> Account:
    for account in serialize_accounts_for(uids=[uid], viewer=viewer, is_fresh=True):
        return account
    raise Http404("No such person.")


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=AccountIdsInputs, returns=list[Account])
def index(request: ApiRequest) -> Any:
    """Return accounts by their ids."""
    uids = list(dict.fromkeys(request.inputs["id"]))
    return serialize_accounts_for(uids=uids, viewer=request.viewer_id)


class LookupInputs(Inputs):
    acct = StringField(max_length=500)


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=LookupInputs, returns=Account)
def lookup(request: ApiRequest) -> Any:
    """Return the account with a username. The domain of this site may follow the username."""
    uid = uid_by_username(username=request.inputs["acct"])
    if uid is None:
        raise Http404("No such person.")
    return _serialize_one_account(uid, request.viewer_id)


class AccountSearchInputs(AccountOffsetInputs):
    q = TextField(required=True, allow_blank=True, max_length=500, one_line=True)
    following = serializers.BooleanField(required=False, default=False)
    resolve = serializers.BooleanField(required=False, default=False)


@endpoint("read:accounts", inputs=AccountSearchInputs, returns=list[Account])
def search(request: ApiRequest) -> Any:
    """Search accounts by words of the username, display name and bio."""
    rate_limits.count_action(action="search", subject=request.uid)
    return search_accounts(request.inputs, viewer=request.uid)


def search_accounts(inputs: dict[str, Any], *, viewer: int | None) -> list[Account]:
    """Return the accounts that match the values of ``AccountSearchInputs``.

    With ``resolve``, the account with exactly the searched username comes first, even if it is blocked.
    Clients need this to find a blocked account and unblock it.
    """
    username, limit, offset = local_username(inputs["q"]), inputs["limit"], inputs["offset"]
    is_exact_wanted = inputs["resolve"] and username and not inputs["following"]
    uid = uid_by_username(username=username) if is_exact_wanted else None
    exact = serialize_accounts_for(uids=[uid], viewer=viewer) if uid is not None else []
    page = search_users(
        text=username,
        viewer=viewer,
        limit=limit,
        offset=max(0, offset - len(exact)),
        only_followed=inputs["following"],
        excluded_uid=uid,
    )
    first = [] if offset else exact
    return [*first, *serialize_people_rows(rows=page.rows)][:limit]


class AccountStatusesInputs(PageInputs):
    only_media = serializers.BooleanField(required=False, default=False)
    exclude_replies = serializers.BooleanField(required=False, default=False)
    exclude_reblogs = serializers.BooleanField(required=False, default=False)
    pinned = serializers.BooleanField(required=False, default=False)
    tagged = StringField(required=False, default="", max_length=500, allow_blank=True)


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=AccountStatusesInputs, returns=list[Status])
def statuses(request: ApiRequest, uid: int) -> Any:
    """Return the posts, shares and comments of an account, newest first.

    Comments are not included with ``exclude_replies``, ``only_media``, ``tagged`` or ``pinned``.
    """
    viewer, inputs = request.viewer_id, request.inputs
    profile = get_profile_or_404(uid=uid, viewer=viewer)
    if profile.is_blocking or profile.is_blocked_by:
        return []
    if inputs["pinned"]:
        pinned = pinned_posts(author=uid, viewer=viewer) if profile.can_view_posts else ()
        return Page(results=serialize_posts(posts=pinned))
    has_comments = not (inputs["exclude_replies"] or inputs["only_media"] or inputs["tagged"])
    if has_comments and profile.can_view_posts:
        content_page = profile_content_page(
            author=uid,
            viewer=viewer,
            bounds=request.page_bounds,
            is_following=profile.is_following,
            with_posts=True,
            exclude_shares=inputs["exclude_reblogs"],
        )
        post_ids = [post.id for post in content_page.contents if isinstance(post, PostView)]
        count_views(request=request, post_ids=post_ids)
        return mixed_status_page(page=content_page, viewer=viewer)
    page = profile_page(
        author=uid,
        viewer=viewer,
        can_view_posts=profile.can_view_posts,
        is_following=profile.is_following,
        only_with_pictures=inputs["only_media"],
        exclude_shares=inputs["exclude_reblogs"],
        tag=normalize_tag(inputs["tagged"]),
        bounds=request.page_bounds,
    )
    return status_page(page=page, request=request)


@endpoint("read:accounts", caller=Caller.ANYONE, returns=list[FeaturedTag])
def featured_tags(request: ApiRequest, uid: int) -> Any:
    """Return the hashtags on an account's profile. Empty if the caller may not see its posts."""
    profile = get_profile_or_404(uid=uid, viewer=request.viewer_id)
    if not profile.can_view_posts:
        return []
    return serialize_featured_tags(author=uid, username=profile.user_card.username)


@endpoint("read:lists", returns=list[List])
def index_for_account(request: ApiRequest, uid: int) -> Any:
    """Return the caller's lists that contain an account."""
    card_or_404(uid=uid)
    user_lists = owned_lists(owner=request.uid)
    return [serialize_list(user_list) for user_list in user_lists if uid in user_list.uids]
