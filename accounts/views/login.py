"""Log in and confirm the password. After too many attempts, pages say when to try again."""

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

from accounts.infra.allauth_rate_limits import apply_login_wait, retry_after_seconds
from accounts.infra.rate_limits import format_duration
from accounts.viewer import signed_in_user

from .popups import keep_opener, keep_opener_for_apps


class LogInView(views.LoginView):
    def form_invalid(self, form: Any) -> HttpResponse:
        return apply_login_wait(request=self.request, response=super().form_invalid(form))


class ReauthenticateView(views.ReauthenticateView):
    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        refresh_session_hash(request=self.request)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return apply_login_wait(request=self.request, response=super().form_invalid(form))


def refresh_session_hash(*, request: HttpRequest) -> None:
    """Keep the session valid after the user has entered the password.

    Checking a password can hash it anew, for example after an upgrade of Django with a slower hash. A
    session is valid only for the hash with which it began.
    """
    user = signed_in_user(request)
    user.refresh_from_db(fields=["password"])
    if request.session[HASH_SESSION_KEY] != user.get_session_auth_hash():
        update_session_auth_hash(request, user)


def reauthentication_redirect(request: HttpRequest) -> HttpResponse | None:
    """Redirect to the page that asks for the password; return None if the user entered it lately.

    allauth's own check does not accept a log-in as confirmation. This does, since an app's first page
    follows right after a log-in. Also, allauth raises an exception, whose response would separate a pop-up
    from its opener (``popups``).
    """
    if not request.user.is_authenticated:
        return None
    records = get_authentication_records(request, request.user)
    if records and time.time() - records[-1]["at"] < app_settings.REAUTHENTICATION_TIMEOUT:
        return None
    page = reverse("account_reauthenticate")
    return redirect(f"{page}?{urlencode({REDIRECT_FIELD_NAME: request.get_full_path()})}")


log_in = keep_opener_for_apps(LogInView.as_view())
reauthenticate = keep_opener_for_apps(ReauthenticateView.as_view())
# Its next page is in the session, not in the URL, so it always keeps the opener.
enter_code = keep_opener(AuthenticateView.as_view())


@never_cache
def rate_limited(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Render the page for allauth's rate limits (``handler429``)."""
    seconds = retry_after_seconds(request=request)
    wait = "" if seconds is None else format_duration(seconds=seconds)
    response = render(request, "429.html", {"wait": wait}, status=429)
    if seconds is not None:
        response["Retry-After"] = str(seconds)
    return response
