"""People: oneself, and others by id, by name and by how their name begins; what each has posted."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts import limits
from accounts import selectors as people
from accounts.api import (
    ApiRequest,
    Ids,
    Inputs,
    Page,
    StringField,
    TextField,
    Who,
    Window,
    endpoint,
)
from accounts.models import User
from feed import selectors
from feed.text.hashtags import tag_key

from .entities import Account, Status, account_of, statuses_of
from .entities.accounts import Role, Source
from .entities.lists import UserList, list_json
from .entities.people import accounts_by_id, accounts_seen
from .entities.values import domain
from .people_pages import Further, person_or_404
from .timelines import status_page

MOST_AT_ONCE = 80


@endpoint("profile", "read:accounts", returns=Account)
def verify_credentials(request: ApiRequest) -> Any:
    """Who calls."""
    return own_account(uid=request.uid)


def own_account(*, uid: int) -> Account:
    me = User.objects.get(pk=uid)
    shown = account_of(uid=uid, in_full=True)
    if shown is None:
        raise Http404("No such person.")
    shown.pop("limited", None)
    source: Source = {
        "note": me.bio,
        "fields": [],
        "privacy": "public",
        "sensitive": False,
        "language": None,
        "follow_requests_count": people.count_follow_requests(uid=me.pk),
        "hide_collections": me.is_private,
        "discoverable": not me.is_private,
        "indexable": not me.is_private,
    }
    role: Role = {"id": "-99", "name": "", "color": "", "permissions": "0", "highlighted": False}
    return {**shown, "source": source, "role": role}


@endpoint("read:accounts", who=Who.ANYBODY, returns=Account)
def show(request: ApiRequest, uid: int) -> Any:
    """Somebody."""
    return _shown(uid, request.viewer)


def _shown(uid: int, viewer: int | None) -> Account:
    for one in accounts_by_id(uids=[uid], viewer=viewer, is_fresh=True):
        return one
    raise Http404("No such person.")


class Several(Inputs):
    id = Ids(max_length=MOST_AT_ONCE)


@endpoint("read:accounts", who=Who.ANYBODY, takes=Several, returns=list[Account])
def several(request: ApiRequest) -> Any:
    """Several people by their ids."""
    uids = list(dict.fromkeys(request.given["id"]))
    return accounts_by_id(uids=uids, viewer=request.viewer)


class Named(Inputs):
    acct = StringField(max_length=500)


@endpoint("read:accounts", who=Who.ANYBODY, takes=Named, returns=Account)
def lookup(request: ApiRequest) -> Any:
    """Somebody by name, with the name of this site behind it or without."""
    name = local_name(request.given["acct"])
    uid = people.uid_of(username=name) if name else None
    if uid is None:
        raise Http404("No such person.")
    return _shown(uid, request.viewer)


def local_name(acct: str) -> str:
    """The user name in "alice", "@alice" and "alice@this.site"; "" if it is of another site."""
    name, _sign, host = acct.strip().removeprefix("@").partition("@")
    return name if host.lower() in ("", domain().lower()) else ""


class Sought(Further):
    q = TextField(required=True, allow_blank=True, max_length=500, one_line=True)
    following = serializers.BooleanField(required=False, default=False)
    resolve = serializers.BooleanField(required=False, default=False)


@endpoint("read:accounts", takes=Sought, returns=list[Account])
def search(request: ApiRequest) -> Any:
    """People whose user name or name begins so."""
    limits.count(action="search", who=request.uid)
    return found_accounts(request.given, viewer=request.uid)


def found_accounts(given: dict[str, Any], *, viewer: int | None) -> list[Account]:
    """Those of ``Sought``. With ``resolve``, whoever has just this user name comes first, also if a block
    keeps them apart: by it clients find whom somebody wants to unblock."""
    name, limit = local_name(given["q"]), given["limit"]
    rows = people.matching_people(
        text=name,
        viewer=viewer,
        limit=limit,
        offset=given["offset"],
        is_followed=given["following"],
    )
    found = accounts_seen(rows=rows)
    is_meant = given["resolve"] and name and not (given["offset"] or given["following"])
    uid = people.uid_of(username=name) if is_meant else None
    if uid is None:
        return found
    others = [one for one in found if one["id"] != str(uid)]
    return [*accounts_by_id(uids=[uid], viewer=viewer), *others][:limit]


class Posted(Window):
    only_media = serializers.BooleanField(required=False, default=False)
    exclude_replies = serializers.BooleanField(required=False, default=False)
    exclude_reblogs = serializers.BooleanField(required=False, default=False)
    pinned = serializers.BooleanField(required=False, default=False)
    tagged = StringField(required=False, default="", max_length=500, allow_blank=True)


@endpoint("read:statuses", who=Who.ANYBODY, takes=Posted, returns=list[Status])
def statuses(request: ApiRequest, uid: int) -> Any:
    """What somebody has posted and shared. Comments are not among it, as on the site."""
    viewer, given = request.viewer, request.given
    found = people.profile_by_id(uid=uid, viewer=viewer)
    if found.blocks_them or found.blocked_by_them:
        return []
    if given["pinned"]:
        pinned = selectors.pinned_posts(author=uid, viewer=viewer) if found.may_see_posts else ()
        return Page(items=statuses_of(views=pinned, viewer=viewer))
    page = selectors.profile_page(
        author=uid,
        viewer=viewer,
        is_open=found.may_see_posts,
        is_following=found.is_following,
        with_pictures=given["only_media"],
        written=given["exclude_reblogs"],
        tag=tag_key(given["tagged"]),
        **request.window,
    )
    return status_page(page=page, request=request)


@endpoint("read:accounts", who=Who.ANYBODY, returns=list[dict[str, Any]])
def featured_tags(request: ApiRequest, uid: int) -> Any:
    """None: nobody features hashtags here."""
    person_or_404(uid=uid)
    return []


@endpoint("read:lists", returns=list[UserList])
def lists(request: ApiRequest, uid: int) -> Any:
    """On which of one's own lists somebody is."""
    person_or_404(uid=uid)
    own = selectors.lists_of(owner=request.uid)
    return [list_json(id=one.id, title=one.title) for one in own if uid in one.uids]
