"""People, for moderators: https://docs.joinmastodon.org/methods/admin/accounts/."""

from collections.abc import Sequence
from typing import Any, TypedDict

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.errors import Unprocessable
from accounts.infra.api.inputs import IdField, Inputs, PageInputs, TextField
from accounts.infra.api.pages import Page
from accounts.models import User
from feed.api.serializers.accounts import Account, serialize_accounts
from feed.api.serializers.values import EMPTY_OBJECT, DateTime, EmptyObject, Id, format_datetime
from socialsite.moderation.models import MAX_TEXT_LENGTH, Case
from socialsite.moderation.selectors.users import (
    ModeratedUser,
    action_in_force,
    moderated_users,
    users_matching,
)
from socialsite.moderation.services import actions
from socialsite.moderation.services.actions import undo_action
from socialsite.moderation.services.cases import close_case
from socialsite.moderation.subjects import user_subject

READ_SCOPE, WRITE_SCOPE = "admin:read:accounts", "admin:write:accounts"
EMAIL_PERMISSION = "accounts.change_user"
ACTION_KIND_BY_TYPE = {"none": "warn", "silence": "limit", "suspend": "suspend"}
STATUS_BY_FILTER = {"active": "active", "silenced": "limited", "suspended": "suspended"}
UNSUPPORTED_FILTERS = ("pending", "disabled", "sensitized", "remote")


class AdminAccount(TypedDict):
    """``email``: only for administrators, else empty."""

    id: Id
    username: str
    domain: str | None
    created_at: DateTime
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


def require_moderator(request: ApiRequest) -> User:
    """Only moderators go on, and where the site wants it only those who log in with a code."""
    me = request.signed_in_user
    if not (me.is_staff and me.has_perm("moderation.moderate")):
        raise PermissionDenied
    return me


def serialize_users(*, uids: Sequence[int], moderator: User) -> dict[int, AdminAccount]:
    people = moderated_users(uids=uids)
    shown = serialize_accounts(uids=list(people), with_inactive=True, with_private_details=True)
    sees_addresses = moderator.has_perm(EMAIL_PERMISSION)
    return {
        uid: _admin_account(one, shown[uid], sees_addresses)
        for uid, one in people.items()
        if uid in shown
    }


def _admin_account(one: ModeratedUser, account: Account, sees_addresses: bool) -> AdminAccount:
    return {
        "id": str(one.uid),
        "username": one.username,
        "domain": None,
        "created_at": format_datetime(one.joined_at),
        "email": one.email if sees_addresses else "",
        "ip": None,
        "ips": [],
        "locale": None,
        "invite_request": None,
        "role": {"id": "1", "name": "Staff"} if one.is_staff else None,
        "confirmed": one.has_confirmed_email,
        "approved": True,
        "disabled": not one.is_active and not one.is_suspended,
        "silenced": one.is_limited,
        "suspended": one.is_suspended,
        "sensitized": False,
        "account": account,
    }


class UserListInputs(PageInputs):
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


@endpoint(READ_SCOPE, inputs=UserListInputs, returns=list[AdminAccount], tag="admin")
def list_users(request: ApiRequest) -> Any:
    """Everybody who is asked for, newest first."""
    me, given = require_moderator(request), request.inputs
    asked = {name for name in (*STATUS_BY_FILTER, *UNSUPPORTED_FILTERS) if given[name]} | {
        given["status"]
    } - {""}
    if asked & set(UNSUPPORTED_FILTERS) or given["origin"] == "remote":
        return []
    standing = next((STATUS_BY_FILTER[one] for one in asked if one in STATUS_BY_FILTER), "")
    beginnings = {
        field: given[field].lower() if field != "display_name" else given[field]
        for field in ("username", "display_name", "email")
        if given[field] and (field != "email" or me.has_perm(EMAIL_PERMISSION))
    }
    found = users_matching(status=standing, is_staff=given["staff"], prefixes=beginnings)
    uids, page = paginate_ids(found.values_list("pk", flat=True), request)
    known = serialize_users(uids=uids, moderator=me)
    return Page([known[uid] for uid in uids if uid in known], page.older_cursor, page.newer_cursor)


def paginate_ids(found: Any, bounds: ApiRequest) -> tuple[list[int], Page]:
    """The ids on the page that is asked for, and its cursors."""
    given, limit = bounds.inputs, bounds.inputs["limit"]
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


@endpoint(READ_SCOPE, returns=AdminAccount, tag="admin")
def show_user(request: ApiRequest, uid: int) -> Any:
    """Somebody."""
    return _one(uid, require_moderator(request))


def _one(uid: int, moderator: User) -> AdminAccount:
    found = serialize_users(uids=[uid], moderator=moderator).get(uid)
    if found is None:
        raise Http404("No such person.")
    return found


class ActionInputs(Inputs):
    type = serializers.ChoiceField(choices=["none", "sensitive", "disable", "silence", "suspend"])
    report_id = IdField()
    text = TextField(max_length=MAX_TEXT_LENGTH)
    send_email_notification = serializers.BooleanField(default=True)


@endpoint(WRITE_SCOPE, inputs=ActionInputs, returns=EmptyObject, tag="admin")
def take_action(request: ApiRequest, uid: int) -> Any:
    """Warn ("none"), limit ("silence") or suspend somebody; they are told why. With ``report_id`` that
    report is decided by it."""
    me, given = require_moderator(request), request.inputs
    kind = ACTION_KIND_BY_TYPE.get(given["type"])
    if kind is None:
        raise Unprocessable(_("People are not marked or disabled here: limit or suspend them."))
    case = None
    if given["report_id"] is not None:
        case = Case.objects.filter(pk=given["report_id"], person=uid).first()
        if case is None:
            raise Http404("No such report.")
    actions.take_action(
        moderator=me,
        kind=kind,
        subject=user_subject(uid=uid),
        reason=given["text"],
        case=case,
        should_notify=given["send_email_notification"],
    )
    if case is not None:
        close_case(case=case, moderator=me, outcome=Case.Outcome.ACTED)
    return EMPTY_OBJECT


def _undo(kind: str) -> Any:
    def undo(request: ApiRequest, uid: int) -> Any:
        me = require_moderator(request)
        action = action_in_force(subject=user_subject(uid=uid), kind=kind)
        if action is not None:
            undo_action(action=action, moderator=me)
        return _one(uid, me)

    undo.__name__, undo.__module__ = f"undo_{kind}", __name__
    undo.__doc__ = f'Undo "{kind}"; nothing happens to who is not.'
    return endpoint(WRITE_SCOPE, returns=AdminAccount, tag="admin")(undo)


undo_limit, undo_suspend = _undo("limit"), _undo("suspend")


@endpoint(WRITE_SCOPE, returns=AdminAccount, tag="admin")
def ignore_unsupported_undo(request: ApiRequest, uid: int) -> Any:
    """Nobody is disabled or marked here."""
    return _one(uid, require_moderator(request))


@endpoint(WRITE_SCOPE, returns=EmptyObject, tag="admin")
def refuse_unsupported(request: ApiRequest, uid: int) -> Any:
    """Nobody waits to be let in, and moderators delete nobody."""
    require_moderator(request)
    raise PermissionDenied
