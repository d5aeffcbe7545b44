"""Sign-up in an app, with the form, checks and rate limits of the sign-up page."""

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
from accounts.infra.client_address import client_address, client_network
from accounts.languages import offered_variant
from accounts.selectors.account_data import find_usable_invitation
from accounts.selectors.blocklists import can_sign_up_from
from accounts.services import invitations
from accounts.services.apps import issue_token
from accounts.services.invitations import BY_INVITATION, CLOSED

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import Inputs, StringField

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
"""API error codes, by the form's error code. Form errors without an entry become ERR_INVALID."""

API_FIELD_NAMES = {"password1": "password", "__all__": "base"}


class Token(TypedDict):
    """https://docs.joinmastodon.org/entities/Token/"""

    access_token: str
    token_type: str
    scope: str
    created_at: int


class SignUpInputs(Inputs):
    """``invite_code``: the last part of an invitation link. ``reason`` is ignored.

    ``locale``: the language of the new user's pages and mails. Default: that of the request.
    """

    username = StringField(default="", allow_blank=True, max_length=1000, trim_whitespace=True)
    email = StringField(default="", allow_blank=True, max_length=1000, trim_whitespace=True)
    password = StringField(default="", allow_blank=True, max_length=1000)
    agreement = serializers.BooleanField(required=False, default=False)
    locale = StringField(default="", allow_blank=True, allow_null=True)
    reason = StringField(default="", allow_blank=True, allow_null=True)
    invite_code = StringField(default="", allow_blank=True, max_length=100)


@endpoint("write:accounts", caller=Caller.APP, inputs=SignUpInputs, returns=Token)
def sign_up(request: ApiRequest) -> Any:
    """Create an account with an app-only token, and return a token for the new user.

    If the site requires confirmed email addresses, the token is anonymous until the address is confirmed.
    """
    if request.viewer_id is not None:
        raise PermissionDenied(_("You already have an account. Log in instead."))
    inputs = request.inputs
    _check_sign_up_allowed(request, inputs["invite_code"])
    form = _validate_form(inputs)
    with rate_limits.limited_action(action="sign_up", subject=client_network(request._request)):
        uid = _create_user(request, form, inputs)
    return {
        "access_token": issue_token(app=request.token.application, uid=uid),
        "token_type": "Bearer",
        "scope": request.token.application.scopes,
        "created_at": int(timezone.now().timestamp()),
    }


def _check_sign_up_allowed(request: ApiRequest, code: str) -> None:
    if settings.SIGN_UP_MODE == CLOSED:
        raise PermissionDenied(_("Sign-ups are currently closed. Try again later."))
    if settings.SIGN_UP_MODE == BY_INVITATION and find_usable_invitation(key=code) is None:
        raise PermissionDenied(
            _("You need an invitation to sign up. Ask a member for an invitation link.")
        )
    if not can_sign_up_from(address=client_address(request._request)):
        raise PermissionDenied(
            _("Sign-ups are not accepted from your network. Try another network.")
        )


def _validate_form(inputs: dict[str, Any]) -> SignupForm:
    """Return the form if it is valid.

    Raises ValidationError with all errors, each under the API's name of the field.
    """
    form = SignupForm(
        {
            "username": inputs["username"],
            "email": inputs["email"],
            "password1": inputs["password"],
        }
    )
    errors_by_field = {
        API_FIELD_NAMES.get(name, name): [
            ErrorDetail(message, code=ERROR_CODES.get(error.code or "", "ERR_INVALID"))
            for error in errors
            for message in error.messages
        ]
        for name, errors in form.errors.as_data().items()
    }
    if not inputs["agreement"]:
        message = _("Accept the rules of this site to sign up.")
        errors_by_field["agreement"] = [ErrorDetail(message, code="ERR_ACCEPTED")]
    if errors_by_field:
        raise serializers.ValidationError(errors_by_field)
    return form


def _create_user(request: ApiRequest, form: SignupForm, inputs: dict[str, Any]) -> int | None:
    """Create the user and return the uid.

    Returns None if the email address belongs to another user. A mail informs that user.
    """
    adapter, page = get_adapter(), request._request
    if form.account_already_exists:
        adapter.send_account_already_exists_mail(form.cleaned_data["email"])
        return None
    user = adapter.save_user(page, adapter.new_user(page), form, commit=False)
    user.language = offered_variant(language=inputs["locale"] or "") or user.language
    try:
        invitations.sign_up(user=user, invitation_key=inputs["invite_code"])
    except IntegrityError as error:  # a concurrent sign-up took the name
        taken = ErrorDetail(_("This username is taken. Choose another one."), code="ERR_TAKEN")
        raise serializers.ValidationError({"username": [taken]}) from error
    address: EmailAddress = setup_user_email(page, user, [])
    if app_settings.EMAIL_VERIFICATION != app_settings.EmailVerificationMethod.NONE:
        address.send_confirmation(page, signup=True)
    return int(user.pk)
