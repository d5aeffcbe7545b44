"""Log in and confirm the password. After too many attempts, pages state the waiting time."""

import time
from typing import Any
from urllib.parse import urlencode

from allauth.account import app_settings, views
from allauth.account.authentication import get_authentication_records
from allauth.mfa.base.views import AuthenticateView
from django.contrib.auth import HASH_SESSION_KEY, REDIRECT_FIELD_NAME, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts.allauth_rate_limits import apply_login_wait, retry_after_seconds
from accounts.infra.rate_limits import format_duration
from accounts.viewer import signed_in_user

from .popups import keep_opener, keep_opener_for_apps


class LogInView(views.LoginView):
    def form_invalid(self, form: Any) -> HttpResponse:
        return apply_login_wait(request=self.request, response=super().form_invalid(form))


class LogOutView(views.LogoutView):
    """Log out, and let the browser delete the pages that its back button would still show."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post(*args, **kwargs)
        response["Clear-Site-Data"] = '"cache"'
        return response


class ReauthenticateView(views.ReauthenticateView):
    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        refresh_session_hash(request=self.request)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return apply_login_wait(request=self.request, response=super().form_invalid(form))


def refresh_session_hash(*, request: HttpRequest) -> None:
    """Keep the session valid after the user has entered the password.

    A session is valid only while the password hash is unchanged. But a password check can replace the hash,
    for example if a new Django version uses more iterations.
    """
    user = signed_in_user(request)
    user.refresh_from_db(fields=["password"])
    if request.session[HASH_SESSION_KEY] != user.get_session_auth_hash():
        update_session_auth_hash(request, user)


def reauthentication_redirect(request: HttpRequest) -> HttpResponse | None:
    """Redirect to the page that asks for the password. Return None if the user entered it recently.

    There are two differences from allauth's own check. First, a recent log-in is sufficient, because an
    app's first page follows directly after the log-in. Second, the result is a response. allauth raises an
    exception, whose response would separate a pop-up from its opener (``popups``).
    """
    if not request.user.is_authenticated:
        return None
    records = get_authentication_records(request, request.user)
    if records and time.time() - records[-1]["at"] < app_settings.REAUTHENTICATION_TIMEOUT:
        return None
    page = reverse("account_reauthenticate")
    return redirect(f"{page}?{urlencode({REDIRECT_FIELD_NAME: request.get_full_path()})}")


log_in = keep_opener_for_apps(LogInView.as_view())
log_out = LogOutView.as_view()
reauthenticate = keep_opener_for_apps(ReauthenticateView.as_view())
# The session stores the next page of this form, so the URL does not show whether an app opened the page.
# Always keep the opener.
enter_code = keep_opener(AuthenticateView.as_view())


@never_cache
def rate_limited(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the error page for allauth's rate limits (``handler429``)."""
    seconds = retry_after_seconds(request=request)
    wait = "" if seconds is None else format_duration(seconds=seconds)
    response = render(request, "429.html", {"wait": wait}, status=429)
    if seconds is not None:
        response["Retry-After"] = str(seconds)
    return response
