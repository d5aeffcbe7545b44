"""Users for moderators: https://docs.joinmastodon.org/methods/admin/accounts/."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypedDict

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.models import User
from socialsite.api.plumbing.endpoints import ApiRequest, Page, endpoint
from socialsite.api.plumbing.errors import Unprocessable
from socialsite.api.plumbing.inputs import IdField, Inputs, PageInputs, TextField
from socialsite.api.serializers.accounts import Account, serialize_accounts
from socialsite.api.serializers.values import (
    DateTime,
    EmptyObject,
    Id,
    format_datetime,
)
from socialsite.moderation.models import MAX_TEXT_LENGTH, Case
from socialsite.moderation.selectors.users import (
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
    """``email`` is empty unless the moderator is an administrator."""

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
    """Return the signed-in moderator. Raises PermissionDenied.

    Moderators without a required second factor have no permissions.
    """
    user = request.signed_in_user
    if not (user.is_staff and user.has_perm("moderation.moderate")):
        raise PermissionDenied
    return user


def serialize_users(*, uids: Sequence[int], moderator: User) -> dict[int, AdminAccount]:
    users = moderated_users(uids=uids)
    accounts = serialize_accounts(uids=list(users), with_inactive=True, with_private_details=True)
    can_see_email = moderator.has_perm(EMAIL_PERMISSION)
    return {
        uid: _serialize_user(user, accounts[uid], is_confirmed, can_see_email)
        for uid, (user, is_confirmed) in users.items()
        if uid in accounts
    }


def _serialize_user(
    user: User, account: Account, is_confirmed: bool, can_see_email: bool
) -> AdminAccount:
    return {
        "id": str(user.pk),
        "username": user.username,
        "domain": None,
        "created_at": format_datetime(user.date_joined),
        "email": user.email if can_see_email else "",
        "ip": None,
        "ips": [],
        "locale": None,
        "invite_request": None,
        "role": {"id": "1", "name": "Staff"} if user.is_staff or user.is_superuser else None,
        "confirmed": is_confirmed,
        "approved": True,
        "disabled": not user.is_active and not user.suspended_at,
        "silenced": user.is_limited,
        "suspended": user.suspended_at is not None,
        "sensitized": False,
        "account": account,
    }


class UserListInputs(PageInputs):
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
    """List matching users, newest first."""
    moderator, inputs = require_moderator(request), request.inputs
    filters = {name for name in (*STATUS_BY_FILTER, *UNSUPPORTED_FILTERS) if inputs[name]} | {
        inputs["status"]
    } - {""}
    if filters & set(UNSUPPORTED_FILTERS) or inputs["origin"] == "remote":
        return []
    status = next((STATUS_BY_FILTER[name] for name in filters if name in STATUS_BY_FILTER), "")
    prefixes = {
        field: inputs[field].lower() if field != "display_name" else inputs[field]
        for field in ("username", "display_name", "email")
        if inputs[field] and (field != "email" or moderator.has_perm(EMAIL_PERMISSION))
    }
    users = users_matching(status=status, is_staff=inputs["staff"], prefixes=prefixes)
    uids, page = paginate_ids(users.values_list("pk", flat=True), request)
    accounts = serialize_users(uids=uids, moderator=moderator)
    rows = [accounts[uid] for uid in uids if uid in accounts]
    return replace(page, results=rows)


def paginate_ids(all_ids: Any, request: ApiRequest) -> tuple[list[int], Page]:
    """Return the ids on the requested page, newest first, and a ``Page`` with the cursors of this page.

    The ``Page`` has no rows, because the caller reads and serializes the rows with these ids. ``all_ids``
    is a queryset of ids, newest first.
    """
    inputs, limit = request.inputs, request.inputs["limit"]
    if inputs["max_id"] is not None:
        all_ids = all_ids.filter(pk__lt=inputs["max_id"])
    lower_bound = inputs["min_id"] if inputs["min_id"] is not None else inputs["since_id"]
    if lower_bound is not None:
        all_ids = all_ids.filter(pk__gt=lower_bound)
    is_ascending = inputs["min_id"] is not None
    if is_ascending:
        all_ids = all_ids.order_by("pk")
    ids = list(all_ids[: limit + 1])
    has_more, ids = len(ids) > limit, ids[:limit]
    if is_ascending:
        ids.reverse()
    older_cursor = ids[-1] if ids and (has_more or is_ascending) else None
    return ids, Page([], older_cursor, ids[0] if ids else None)


@endpoint(READ_SCOPE, returns=AdminAccount, tag="admin")
def show_user(request: ApiRequest, uid: int) -> Any:
    """Return a user."""
    return _serialize_uid(uid, require_moderator(request))


def _serialize_uid(uid: int, moderator: User) -> AdminAccount:
    account = serialize_users(uids=[uid], moderator=moderator).get(uid)
    if account is None:
        raise Http404("User not found.")
    return account


class ActionInputs(Inputs):
    type = serializers.ChoiceField(choices=["none", "sensitive", "disable", "silence", "suspend"])
    report_id = IdField()
    text = TextField(max_length=MAX_TEXT_LENGTH)
    send_email_notification = serializers.BooleanField(default=True)


@endpoint(WRITE_SCOPE, inputs=ActionInputs, returns=EmptyObject, tag="admin")
def take_action(request: ApiRequest, uid: int) -> None:
    """Warn ("none"), limit ("silence") or suspend a user. With ``report_id``, also close that report.

    The text is shown to the user.
    """
    moderator, inputs = require_moderator(request), request.inputs
    kind = ACTION_KIND_BY_TYPE.get(inputs["type"])
    if kind is None:
        raise Unprocessable(
            _(
                "This site cannot disable accounts or mark them as sensitive. Limit or suspend the user."
            )
        )
    case = None
    if inputs["report_id"] is not None:
        case = get_object_or_404(Case, pk=inputs["report_id"], user_id=uid)
    actions.take_action(
        moderator=moderator,
        kind=kind,
        subject=user_subject(uid=uid),
        reason=inputs["text"],
        case=case,
        should_notify=inputs["send_email_notification"],
    )
    if case is not None:
        close_case(case=case, moderator=moderator, outcome=Case.Outcome.ACTED)


def _undo_endpoint(kind: str) -> Any:
    def undo(request: ApiRequest, uid: int) -> Any:
        moderator = require_moderator(request)
        action = action_in_force(subject=user_subject(uid=uid), kind=kind)
        if action is not None:
            undo_action(action=action, moderator=moderator)
        return _serialize_uid(uid, moderator)

    undo.__doc__ = f'Undo "{kind}". Does nothing if it is not in force.'
    return endpoint(WRITE_SCOPE, returns=AdminAccount, tag="admin")(undo)


undo_limit, undo_suspend = _undo_endpoint("limit"), _undo_endpoint("suspend")


@endpoint(WRITE_SCOPE, returns=AdminAccount, tag="admin")
def ignore_unsupported_undo(request: ApiRequest, uid: int) -> Any:
    """Return the user. Changes nothing, because this site does not disable or mark accounts."""
    return _serialize_uid(uid, require_moderator(request))


@endpoint(WRITE_SCOPE, returns=EmptyObject, tag="admin")
def refuse_unsupported(request: ApiRequest, uid: int) -> None:
    """Refuse, because sign-ups need no approval, and moderators cannot delete accounts."""
    require_moderator(request)
    raise PermissionDenied
