"""Account settings: language, time zone, deactivation, deletion, and the page that inactive users see."""

from collections.abc import Callable
from typing import Any

from allauth.core import ratelimit
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import ConfirmIdentityForm, LocaleForm
from accounts.inactive_users import account_status_response, allow_inactive_users
from accounts.languages import is_offered
from accounts.request_guards import form_page
from accounts.selectors.account_data import user_sessions
from accounts.services import account_status as account_status_service
from accounts.services import sessions as sessions_service
from accounts.services.account_status import request_deletion
from accounts.services.profiles import change_settings
from accounts.services.sessions import end_sessions
from accounts.viewer import next_url, signed_in_user, viewer_id

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
    message = _("Your account is active again.")
    return _undo(request, account_status_service.reactivate_account, message=message)


@allow_inactive_users
@require_POST
def cancel_deletion(request: HttpRequest) -> HttpResponse:
    message = _("Your account will not be deleted.")
    return _undo(request, account_status_service.cancel_deletion, message=message)


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
    initial = {
        "language": user.language or LocaleForm.BROWSER,
        "time_zone": user.time_zone or LocaleForm.BROWSER,
    }
    form = LocaleForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        change_settings(uid=user.pk, time_zone=form.cleaned_data["time_zone"])
        response = redirect("account_settings")
        save_language(request, response, form.cleaned_data["language"])
        messages.success(request, _("Settings saved."))
        return response
    context = {"days": settings.ERASE_AFTER_DAYS, "now": timezone.now()}
    return form_page(request, "accounts/settings_account.html", form, **context)


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
    return form_page(request, template, form, days=settings.ERASE_AFTER_DAYS)


@allow_inactive_users
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Save the language of a user, and remember it in the browser, also for visitors."""
    response = HttpResponseRedirect(next_url(request, default="/"))
    language = request.POST.get("language", "")
    if is_offered(language=language):
        save_language(request, response, language)
    return response


def save_language(request: HttpRequest, response: HttpResponse, language: str) -> None:
    """Save the language of the user, if there is one. "" means the language of the browser.

    The browser remembers it for pages without a user: after logging out, and errors.
    """
    uid = viewer_id(request)
    if uid is not None:
        change_settings(uid=uid, language=language)
    if language:
        translation.activate(language)  # for a message about the change
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")


@require_safe
@never_cache
@login_required
def sessions(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    rows = user_sessions(user=user, session_key=request.session.session_key or "")
    context = {
        "sessions": rows,
        "has_other_sessions": any(not row.is_current for row in rows),
        "has_2fa": is_mfa_enabled(user),
    }
    return render(request, "accounts/settings_sessions.html", context)


@require_POST
@login_required
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    if not sessions_service.end_session(uid=signed_in_user(request).pk, session_id=session_id):
        raise Http404("No such session.")
    messages.success(request, _("Device logged out."))
    return redirect("sessions")


@require_POST
@login_required
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    end_sessions(uid=signed_in_user(request).pk, except_key=request.session.session_key or "")
    messages.success(request, _("All other devices are logged out."))
    return redirect("sessions")
