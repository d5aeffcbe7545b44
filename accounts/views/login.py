"""Saying who one is, at log-in and later; whoever tries too often is told when to come again."""

import time
from typing import Any
from urllib.parse import urlencode

from allauth.account import app_settings, views
from allauth.account.internal.flows.login import get_authentication_records
from allauth.mfa.base.views import AuthenticateView
from django.contrib.auth import HASH_SESSION_KEY, REDIRECT_FIELD_NAME, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts.infra.allauth_rate_limits import apply_login_wait, retry_after_seconds
from accounts.infra.rate_limits import format_duration
from accounts.viewer import signed_in_user

from .popups import in_a_pop_up, keep_opener_for_apps


class LogInView(views.LoginView):
    def form_invalid(self, form: Any) -> HttpResponse:
        return apply_login_wait(request=self.request, response=super().form_invalid(form))


class ReauthenticateView(views.ReauthenticateView):
    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        refresh_session_hash(request=self.request)
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        return apply_login_wait(request=self.request, response=super().form_invalid(form))


def refresh_session_hash(*, request: HttpRequest) -> None:
    """After the password was said again: it may have been hashed anew, as after a release of Django that
    hashes more slowly, and a session is only good for the hash it began with."""
    user = signed_in_user(request)
    user.refresh_from_db(fields=["password"])
    if request.session[HASH_SESSION_KEY] != user.get_session_auth_hash():
        update_session_auth_hash(request, user)


def reauthentication_redirect(request: HttpRequest) -> HttpResponse | None:
    """To the page that asks for the password, and back; None if the user has just typed it.

    allauth does not accept a log-in for it. An app's first page comes right after one, so this does. And it
    raises an exception, whose response would cut the tie of a pop-up (``popups``).
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
# Where it leads is in the session, not in its address.
enter_code = in_a_pop_up(AuthenticateView.as_view())


@never_cache
def rate_limited(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """How allauth answers where it has no words of its own."""
    seconds = retry_after_seconds(request=request)
    wait = "" if seconds is None else format_duration(seconds=seconds)
    response = render(request, "429.html", {"wait": wait}, status=429)
    if seconds is not None:
        response["Retry-After"] = str(seconds)
    return response
