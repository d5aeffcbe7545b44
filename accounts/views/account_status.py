"""Deactivate, reactivate and delete an account, and the page that inactive users see."""

from collections.abc import Callable
from typing import Any

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import ConfirmIdentityForm
from accounts.inactive_users import account_status_response, allow_inactive_users
from accounts.services import account_status as account_status_service
from accounts.services.account_status import request_deletion
from accounts.viewer import signed_in_user

from .login import refresh_session_hash


@allow_inactive_users
@require_safe
@login_required
def account_status(request: HttpRequest) -> HttpResponse:
    if signed_in_user(request).is_active:
        return redirect("home")
    return account_status_response(request)


@allow_inactive_users
@require_POST
def reactivate_account(request: HttpRequest) -> HttpResponse:
    return _undo(
        request,
        account_status_service.reactivate_account,
        message=_("Your account is active again."),
    )


@allow_inactive_users
@require_POST
def cancel_deletion(request: HttpRequest) -> HttpResponse:
    return _undo(
        request,
        account_status_service.cancel_deletion,
        message=_("Your account will not be deleted."),
    )


def _undo(request: HttpRequest, undo: Callable[..., bool], *, message: str) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login("/")
    if undo(uid=signed_in_user(request).pk):
        messages.success(request, message)
    return redirect("home")  # which redirects inactive users to the status page


@require_safe
@login_required
def account_settings(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/settings_account.html", {"days": settings.ERASE_AFTER_DAYS})


@sensitive_post_parameters("password", "code")
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def deactivate_account(request: HttpRequest) -> HttpResponse:
    return _confirm_and_run(
        request, "accounts/deactivate_account.html", account_status_service.deactivate_account
    )


@allow_inactive_users
@sensitive_post_parameters("password", "code")
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_account(request: HttpRequest) -> HttpResponse:
    return _confirm_and_run(request, "accounts/delete_account.html", request_deletion)


def _confirm_and_run(
    request: HttpRequest, template: str, action: Callable[..., Any]
) -> HttpResponse:
    """Ask for the password, run the action, and redirect to the status page."""
    user = signed_in_user(request)
    form = ConfirmIdentityForm(request.POST if request.method == "POST" else None, user=user)
    if request.method == "POST":
        limit_response: HttpResponse | None = ratelimit.consume_or_429(
            request, action="reauthenticate", user=user
        )
        if limit_response:
            return limit_response
        if form.is_valid():
            action(uid=user.pk)
            refresh_session_hash(request=request)
            return redirect("account_status")
    context = {"form": form, "days": settings.ERASE_AFTER_DAYS}
    return render(request, template, context, status=422 if form.errors else 200)
