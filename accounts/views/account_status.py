"""Account settings: language, time zone, deactivation, deletion, and the page that inactive users see."""

from collections.abc import Callable
from typing import Any

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import ConfirmIdentityForm, LocaleForm
from accounts.inactive_users import account_status_response, allow_inactive_users
from accounts.services import account_status as account_status_service
from accounts.services.account_status import request_deletion
from accounts.services.profiles import set_time_zone
from accounts.viewer import signed_in_user

from .language import save_language
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


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def account_settings(request: HttpRequest) -> HttpResponse:
    """Show and save language and time zone. The page also leads to deactivation and deletion."""
    user = signed_in_user(request)
    is_submitted = request.method == "POST"
    initial = {
        "language": user.language or LocaleForm.BROWSER,
        "time_zone": user.time_zone or LocaleForm.BROWSER,
    }
    form = LocaleForm(request.POST if is_submitted else None, initial=initial)
    if is_submitted and form.is_valid():
        set_time_zone(uid=user.pk, time_zone=form.cleaned_data["time_zone"])
        response = redirect("account_settings")
        save_language(request, response, form.cleaned_data["language"])
        messages.success(request, _("Settings saved."))
        return response
    context = {"form": form, "days": settings.ERASE_AFTER_DAYS, "now": timezone.now()}
    status = 422 if is_submitted else 200
    return render(request, "accounts/settings_account.html", context, status=status)


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
