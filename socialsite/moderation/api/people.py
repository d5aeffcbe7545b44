"""People, for moderators: https://docs.joinmastodon.org/methods/admin/accounts/."""

from collections.abc import Sequence
from typing import Any, TypedDict

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.api import ApiRequest, IdField, Inputs, Page, TextField, Window, endpoint
from accounts.api.errors import Unprocessable
from accounts.models import User
from feed.api.entities import EMPTY, Account, Nothing, accounts_of, at
from feed.api.entities.values import Id, Moment
from socialsite.moderation import selectors, services
from socialsite.moderation.models import MAX_WORDS, Case
from socialsite.moderation.selectors import ModeratedPerson
from socialsite.moderation.subjects import person_subject

READ, WRITE = "admin:read:accounts", "admin:write:accounts"
SEES_ADDRESSES = "accounts.change_user"
KINDS = {"none": "warn", "silence": "limit", "suspend": "suspend"}
STANDINGS = {"active": "active", "silenced": "limited", "suspended": "suspended"}
NEVER = ("pending", "disabled", "sensitized", "remote")


class AdminAccount(TypedDict):
    """``email``: only for administrators, else empty."""

    id: Id
    username: str
    domain: str | None
    created_at: Moment
    email: str
    ip: str | None
    ips: list[str]
    locale: str | None
    invite_request: str | None
    role: dict[str, str] | None
    confirmed: bool
    approved: bool
    disabled: bool
    silenced: bool
    suspended: bool
    sensitized: bool
    account: Account


def demand(request: ApiRequest) -> User:
    """Only moderators go on, and where the site wants it only those who log in with a code."""
    me = request.person
    if not (me.is_staff and me.has_perm("moderation.moderate")):
        raise PermissionDenied
    return me


def admin_accounts(*, uids: Sequence[int], moderator: User) -> dict[int, AdminAccount]:
    people = selectors.moderated_people(uids=uids)
    shown = accounts_of(uids=list(people), with_closed=True, in_full=True)
    sees_addresses = moderator.has_perm(SEES_ADDRESSES)
    return {
        uid: _admin_account(one, shown[uid], sees_addresses)
        for uid, one in people.items()
        if uid in shown
    }


def _admin_account(one: ModeratedPerson, account: Account, sees_addresses: bool) -> AdminAccount:
    return {
        "id": str(one.uid),
        "username": one.username,
        "domain": None,
        "created_at": at(one.joined),
        "email": one.email if sees_addresses else "",
        "ip": None,
        "ips": [],
        "locale": None,
        "invite_request": None,
        "role": {"id": "1", "name": "Staff"} if one.is_staff else None,
        "confirmed": one.is_confirmed,
        "approved": True,
        "disabled": not one.is_active and not one.is_suspended,
        "silenced": one.is_limited,
        "suspended": one.is_suspended,
        "sensitized": False,
        "account": account,
    }


class AccountsAsked(Window):
    usual, most = 100, 200

    local = serializers.BooleanField(default=False)
    remote = serializers.BooleanField(default=False)
    active = serializers.BooleanField(default=False)
    pending = serializers.BooleanField(default=False)
    disabled = serializers.BooleanField(default=False)
    silenced = serializers.BooleanField(default=False)
    suspended = serializers.BooleanField(default=False)
    sensitized = serializers.BooleanField(default=False)
    staff = serializers.BooleanField(default=None, allow_null=True)
    username = TextField(max_length=100, one_line=True)
    display_name = TextField(max_length=100, one_line=True)
    email = TextField(max_length=320, one_line=True)
    origin = TextField(max_length=10, one_line=True)
    status = TextField(max_length=10, one_line=True)


@endpoint(READ, takes=AccountsAsked, returns=list[AdminAccount], tag="admin")
def people(request: ApiRequest) -> Any:
    """Everybody who is asked for, newest first."""
    me, given = demand(request), request.given
    asked = {name for name in (*STANDINGS, *NEVER) if given[name]} | {given["status"]} - {""}
    if asked & set(NEVER) or given["origin"] == "remote":
        return []
    standing = next((STANDINGS[one] for one in asked if one in STANDINGS), "")
    beginnings = {
        field: given[field].lower() if field != "display_name" else given[field]
        for field in ("username", "display_name", "email")
        if given[field] and (field != "email" or me.has_perm(SEES_ADDRESSES))
    }
    found = selectors.people_matching(
        standing=standing, is_staff=given["staff"], beginnings=beginnings
    )
    uids, page = paged(found.values_list("pk", flat=True), request)
    known = admin_accounts(uids=uids, moderator=me)
    return Page([known[uid] for uid in uids if uid in known], page.older, page.newer)


def paged(found: Any, request: ApiRequest) -> tuple[list[int], Page]:
    """The ids on the page that is asked for, and its cursors."""
    given, limit = request.given, request.given["limit"]
    if given["max_id"] is not None:
        found = found.filter(pk__lt=given["max_id"])
    above = given["min_id"] if given["min_id"] is not None else given["since_id"]
    if above is not None:
        found = found.filter(pk__gt=above)
    upwards = given["min_id"] is not None
    if upwards:
        found = found.order_by("pk")
    ids = list(found[: limit + 1])
    more, ids = len(ids) > limit, ids[:limit]
    if upwards:
        ids.reverse()
    older = ids[-1] if ids and (more or upwards) else None
    return ids, Page([], older, ids[0] if ids else None)


@endpoint(READ, returns=AdminAccount, tag="admin")
def person(request: ApiRequest, uid: int) -> Any:
    """Somebody."""
    return _one(uid, demand(request))


def _one(uid: int, moderator: User) -> AdminAccount:
    found = admin_accounts(uids=[uid], moderator=moderator).get(uid)
    if found is None:
        raise Http404("No such person.")
    return found


class Deed(Inputs):
    type = serializers.ChoiceField(choices=["none", "sensitive", "disable", "silence", "suspend"])
    report_id = IdField()
    text = TextField(max_length=MAX_WORDS)
    send_email_notification = serializers.BooleanField(default=True)


@endpoint(WRITE, takes=Deed, returns=Nothing, tag="admin")
def act(request: ApiRequest, uid: int) -> Any:
    """Warn ("none"), limit ("silence") or suspend somebody; they are told why. With ``report_id`` that
    report is decided by it."""
    me, given = demand(request), request.given
    kind = KINDS.get(given["type"])
    if kind is None:
        raise Unprocessable(_("People are not marked or disabled here: limit or suspend them."))
    case = None
    if given["report_id"] is not None:
        case = Case.objects.filter(pk=given["report_id"], person=uid).first()
        if case is None:
            raise Http404("No such report.")
    services.take_action(
        moderator=me,
        kind=kind,
        subject=person_subject(uid=uid),
        reason=given["text"],
        case=case,
        is_told=given["send_email_notification"],
    )
    if case is not None:
        services.close_case(case=case, moderator=me, outcome=Case.Outcome.ACTED)
    return EMPTY


def _undo(kind: str) -> Any:
    def undo(request: ApiRequest, uid: int) -> Any:
        me = demand(request)
        action = selectors.action_in_force(subject=person_subject(uid=uid), kind=kind)
        if action is not None:
            services.undo_action(action=action, moderator=me)
        return _one(uid, me)

    undo.__name__, undo.__module__ = f"undo_{kind}", __name__
    undo.__doc__ = f'Undo "{kind}"; nothing happens to who is not.'
    return endpoint(WRITE, returns=AdminAccount, tag="admin")(undo)


unsilence, unsuspend = _undo("limit"), _undo("suspend")


@endpoint(WRITE, returns=AdminAccount, tag="admin")
def nothing_to_undo(request: ApiRequest, uid: int) -> Any:
    """Nobody is disabled or marked here."""
    return _one(uid, demand(request))


@endpoint(WRITE, returns=Nothing, tag="admin")
def not_here(request: ApiRequest, uid: int) -> Any:
    """Nobody waits to be let in, and moderators delete nobody."""
    demand(request)
    raise PermissionDenied
