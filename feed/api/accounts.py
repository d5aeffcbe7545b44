"""People: oneself, and others by id, by name and by how their name begins; what each has posted."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.infra import rate_limits
from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import IdListField, Inputs, PageInputs, StringField, TextField
from accounts.infra.api.pages import Page
from accounts.models import User
from accounts.selectors.follow_graph import count_follow_requests
from accounts.selectors.profiles import get_profile_by_id_or_404, uid_by_username
from accounts.selectors.user_search import search_users_page
from feed.api.serializers.accounts import Account, serialize_account
from feed.api.serializers.statuses import Status, serialize_posts
from feed.selectors.lists import profile_page
from feed.selectors.posts import pinned_posts
from feed.selectors.user_lists import owned_lists
from feed.text.hashtags import tag_key

from .account_pages import AccountOffsetInputs, card_or_404
from .lists import List, serialize_list
from .serializers.accounts import Role, Source, serialize_accounts_for, serialize_people_rows
from .serializers.values import site_domain
from .timelines import status_page

MAX_IDS = 80


@endpoint("profile", "read:accounts", returns=Account)
def verify_credentials(request: ApiRequest) -> Any:
    """Who calls."""
    return serialize_own_account(uid=request.uid)


def serialize_own_account(*, uid: int) -> Account:
    me = User.objects.get(pk=uid)
    shown = serialize_account(uid=uid, with_private_details=True)
    if shown is None:
        raise Http404("No such person.")
    shown.pop("limited", None)
    source: Source = {
        "note": me.bio,
        "fields": [],
        "privacy": "public",
        "sensitive": False,
        "language": None,
        "follow_requests_count": count_follow_requests(uid=me.pk),
        "hide_collections": me.is_private,
        "discoverable": not me.is_private,
        "indexable": not me.is_private,
    }
    role: Role = {"id": "-99", "name": "", "color": "", "permissions": "0", "highlighted": False}
    return {**shown, "source": source, "role": role}


@endpoint("read:accounts", caller=Caller.ANYONE, returns=Account)
def show(request: ApiRequest, uid: int) -> Any:
    """Somebody."""
    return _shown(uid, request.viewer_id)


def _shown(uid: int, viewer: int | None) -> Account:
    for one in serialize_accounts_for(uids=[uid], viewer=viewer, is_fresh=True):
        return one
    raise Http404("No such person.")


class AccountIdsInputs(Inputs):
    id = IdListField(max_length=MAX_IDS)


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=AccountIdsInputs, returns=list[Account])
def index(request: ApiRequest) -> Any:
    """Several people by their ids."""
    uids = list(dict.fromkeys(request.inputs["id"]))
    return serialize_accounts_for(uids=uids, viewer=request.viewer_id)


class LookupInputs(Inputs):
    acct = StringField(max_length=500)


@endpoint("read:accounts", caller=Caller.ANYONE, inputs=LookupInputs, returns=Account)
def lookup(request: ApiRequest) -> Any:
    """Somebody by name, with the name of this site behind it or without."""
    name = local_username(request.inputs["acct"])
    uid = uid_by_username(username=name) if name else None
    if uid is None:
        raise Http404("No such person.")
    return _shown(uid, request.viewer_id)


def local_username(acct: str) -> str:
    """The user name in "alice", "@alice" and "alice@this.site"; "" if it is of another site."""
    name, _sign, host = acct.strip().removeprefix("@").partition("@")
    return name if host.lower() in ("", site_domain().lower()) else ""


class AccountSearchInputs(AccountOffsetInputs):
    q = TextField(required=True, allow_blank=True, max_length=500, one_line=True)
    following = serializers.BooleanField(required=False, default=False)
    resolve = serializers.BooleanField(required=False, default=False)


@endpoint("read:accounts", inputs=AccountSearchInputs, returns=list[Account])
def search(request: ApiRequest) -> Any:
    """People whose user name or name begins so."""
    rate_limits.count_action(action="search", subject=request.uid)
    return search_accounts(request.inputs, viewer=request.uid)


def search_accounts(inputs: dict[str, Any], *, viewer: int | None) -> list[Account]:
    """Those of ``Sought``. With ``resolve``, whoever has just this user name comes first, also if a block
    keeps them apart: by it clients find whom somebody wants to unblock."""
    name, limit = local_username(inputs["q"]), inputs["limit"]
    rows = search_users_page(
        text=name,
        viewer=viewer,
        limit=limit,
        offset=inputs["offset"],
        only_followed=inputs["following"],
    )
    found = serialize_people_rows(rows=rows)
    is_meant = inputs["resolve"] and name and not (inputs["offset"] or inputs["following"])
    uid = uid_by_username(username=name) if is_meant else None
    if uid is None:
        return found
    others = [one for one in found if one["id"] != str(uid)]
    return [*serialize_accounts_for(uids=[uid], viewer=viewer), *others][:limit]


class AccountStatusesInputs(PageInputs):
    only_media = serializers.BooleanField(required=False, default=False)
    exclude_replies = serializers.BooleanField(required=False, default=False)
    exclude_reblogs = serializers.BooleanField(required=False, default=False)
    pinned = serializers.BooleanField(required=False, default=False)
    tagged = StringField(required=False, default="", max_length=500, allow_blank=True)


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=AccountStatusesInputs, returns=list[Status])
def statuses(request: ApiRequest, uid: int) -> Any:
    """What somebody has posted and shared. Comments are not among it, as on the site."""
    viewer, given = request.viewer_id, request.inputs
    found = get_profile_by_id_or_404(uid=uid, viewer=viewer)
    if found.is_blocking or found.is_blocked_by:
        return []
    if given["pinned"]:
        pinned = pinned_posts(author=uid, viewer=viewer) if found.can_view_posts else ()
        return Page(results=serialize_posts(posts=pinned, viewer=viewer))
    page = profile_page(
        author=uid,
        viewer=viewer,
        can_view_posts=found.can_view_posts,
        is_following=found.is_following,
        only_with_pictures=given["only_media"],
        exclude_shares=given["exclude_reblogs"],
        tag=tag_key(given["tagged"]),
        **request.page_bounds,
    )
    return status_page(page=page, request=request)


@endpoint("read:accounts", caller=Caller.ANYONE, returns=list[dict[str, Any]])
def featured_tags(request: ApiRequest, uid: int) -> Any:
    """None: nobody features hashtags here."""
    card_or_404(uid=uid)
    return []


@endpoint("read:lists", returns=list[List])
def index_for_account(request: ApiRequest, uid: int) -> Any:
    """On which of one's own lists somebody is."""
    card_or_404(uid=uid)
    own = owned_lists(owner=request.uid)
    return [serialize_list(one) for one in own if uid in one.uids]
