"""Accounts made from an app: by the same form, guards and limits as on the page for signing up."""

from typing import Any, TypedDict

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.forms import SignupForm
from allauth.account.models import EmailAddress
from allauth.account.utils import setup_user_email
from django.conf import settings
from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, PermissionDenied

from accounts.infra import rate_limits
from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import Inputs, StringField
from accounts.infra.client_address import client_address, client_network
from accounts.selectors.blocklists import can_sign_up_from
from accounts.selectors.invitations import find_usable_invitation
from accounts.services import invitations
from accounts.services.apps import issue_token
from accounts.services.invitations import BY_INVITATION, CLOSED

ERROR_CODES = {
    "required": "ERR_BLANK",
    "username_taken": "ERR_TAKEN",
    "email_taken": "ERR_TAKEN",
    "reserved": "ERR_RESERVED",
    "blocked": "ERR_BLOCKED",
    "max_length": "ERR_TOO_LONG",
    "min_length": "ERR_TOO_SHORT",
    "password_too_short": "ERR_TOO_SHORT",
}
"""What clients know of why the form refuses; all else is ERR_INVALID."""

API_FIELD_NAMES = {"password1": "password", "__all__": "base"}


class Token(TypedDict):
    """https://docs.joinmastodon.org/entities/Token/"""

    access_token: str
    token_type: str
    scope: str
    created_at: int


class SignUpInputs(Inputs):
    """``invite_code``: the last part of an invitation's link. ``locale`` and ``reason`` change nothing."""

    username = StringField(default="", allow_blank=True, max_length=1000, trim_whitespace=True)
    email = StringField(default="", allow_blank=True, max_length=1000, trim_whitespace=True)
    password = StringField(default="", allow_blank=True, max_length=1000)
    agreement = serializers.BooleanField(required=False, default=False)
    locale = StringField(default="", allow_blank=True, allow_null=True)
    reason = StringField(default="", allow_blank=True, allow_null=True)
    invite_code = StringField(default="", allow_blank=True, max_length=100)


@endpoint("write:accounts", caller=Caller.APP, inputs=SignUpInputs, returns=Token)
def sign_up(request: ApiRequest) -> Any:
    """Make an account, with the token of an app for itself; returns one for the new person.

    Where addresses must be confirmed it is good for something once that is done.
    """
    token: Any = request.auth
    if request.viewer_id is not None:
        raise PermissionDenied(_("You have an account already."))
    given = request.inputs
    _refuse_unless_open(request, given["invite_code"])
    form = _checked(given)
    with rate_limits.limited_action(action="sign_up", subject=client_network(request._request)):
        uid = _made(request, form, given["invite_code"])
    granted = issue_token(app=token.application, uid=uid)
    return {
        "access_token": granted.token,
        "token_type": "Bearer",
        "scope": granted.scopes,
        "created_at": int(timezone.now().timestamp()),
    }


def _refuse_unless_open(request: ApiRequest, code: str) -> None:
    if settings.SIGN_UP == CLOSED:
        raise PermissionDenied(_("No new accounts can be made right now."))
    if settings.SIGN_UP == BY_INVITATION and find_usable_invitation(key=code) is None:
        raise PermissionDenied(_("New accounts are made by invitation only."))
    if not can_sign_up_from(address=client_address(request._request)):
        raise PermissionDenied(_("No new accounts can be made from your network."))


def _checked(given: dict[str, Any]) -> SignupForm:
    """Raises ValidationError with all that is wrong, as clients know it."""
    sent = {name: given[name] for name in ("username", "email")}
    form = SignupForm({**sent, "password1": given["password"]})
    wrong = {
        API_FIELD_NAMES.get(name, name): [
            ErrorDetail(said, code=ERROR_CODES.get(error.code or "", "ERR_INVALID"))
            for error in every
            for said in error.messages
        ]
        for name, every in form.errors.as_data().items()
    }
    if not given["agreement"]:
        said = _("The rules of this site have to be accepted.")
        wrong["agreement"] = [ErrorDetail(said, code="ERR_ACCEPTED")]
    if wrong:
        raise serializers.ValidationError(wrong)
    return form


def _made(request: ApiRequest, form: SignupForm, code: str) -> int | None:
    """The uid of the new person; None where somebody else has the address, who gets a mail about it."""
    adapter, page = get_adapter(), request._request
    if form.account_already_exists:
        adapter.send_account_already_exists_mail(form.cleaned_data["email"])
        return None
    user = adapter.save_user(page, adapter.new_user(page), form, commit=False)
    try:
        invitations.sign_up(user=user, invitation_key=code)
    except IntegrityError as error:  # since a moment ago
        taken = ErrorDetail(_("Somebody already has this name."), code="ERR_TAKEN")
        raise serializers.ValidationError({"username": [taken]}) from error
    address: EmailAddress = setup_user_email(page, user, [])
    if app_settings.EMAIL_VERIFICATION != app_settings.EmailVerificationMethod.NONE:
        address.send_confirmation(page, signup=True)
    return int(user.pk)
