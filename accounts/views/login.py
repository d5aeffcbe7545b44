"""Log in, sign up and confirm the password. After too many attempts, pages state the waiting time.

Some apps log users in with a pop-up. The pop-up ends on a page of the app, which passes the code to its
opener window. Our other pages separate a window from its opener (``Cross-Origin-Opener-Policy:
same-origin``), and a single such page separates the two permanently. So all log-in pages on the way to the
app must keep the opener.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.account import app_settings, views
from allauth.account.authentication import get_authentication_records
from allauth.mfa.base.views import AuthenticateView
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, REDIRECT_FIELD_NAME, update_session_auth_hash
from django.db import IntegrityError
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts.allauth_rate_limits import apply_login_wait, retry_after_seconds
from accounts.infra import rate_limits
from accounts.infra.client_address import client_address, client_network
from accounts.infra.rate_limits import format_duration
from accounts.infra.refusals import Refused
from accounts.request_guards import with_retry_after
from accounts.selectors.account_data import find_usable_invitation
from accounts.selectors.blocklists import can_sign_up_from
from accounts.services.invitations import INVITATION_SESSION_KEY
from accounts.user_cards import find_card
from accounts.viewer import signed_in_user

View = Callable[..., HttpResponse]


def keep_opener(view: View, *, only_if: Callable[[HttpRequest], bool] = lambda _: True) -> View:
    """Decorator: keep the connection between the page and the window that opened it."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if only_if(request):
            response["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return wrapped


def keep_opener_for_apps(view: View) -> View:
    """Decorator: keep the opener if the next page is the page on which users authorize apps."""
    return keep_opener(view, only_if=_leads_to_authorization)


def _leads_to_authorization(request: HttpRequest) -> bool:
    next_page = request.POST.get("next") or request.GET.get("next") or ""
    return next_page.startswith(reverse("oauth_authorize"))


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
    exception, whose response would separate a pop-up from its opener.
    """
    if not request.user.is_authenticated:
        return None
    records = get_authentication_records(request, request.user)
    if records and time.time() - records[-1]["at"] < app_settings.REAUTHENTICATION_TIMEOUT:
        return None
    page = reverse("account_reauthenticate")
    return redirect(f"{page}?{urlencode({REDIRECT_FIELD_NAME: request.get_full_path()})}")


class SignUpView(views.SignupView):
    """Sign up. Handles concurrent sign-ups with the same name or the same invitation.

    ``AccountAdapter.is_open_for_signup`` decides who may sign up, ``save_user`` creates the account.
    """

    def form_valid(self, form: Form) -> HttpResponse:
        try:
            with rate_limits.limited_action(action="sign_up", subject=client_network(self.request)):
                response: HttpResponse = super().form_valid(form)
        except rate_limits.RateLimited as refusal:
            form.add_error(None, str(refusal))
            return with_retry_after(self.form_invalid(form), refusal)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        except IntegrityError:
            # A concurrent sign-up took the name after the form had checked the name.
            form.add_error("username", _("This username is taken. Choose another one."))
        else:
            self.request.session.pop(INVITATION_SESSION_KEY, None)
            return response
        return self.form_invalid(form)  # type: ignore[no-any-return]

    def closed(self) -> HttpResponse:
        is_network_allowed = can_sign_up_from(address=client_address(self.request))
        reason = settings.SIGN_UP_MODE if is_network_allowed else "address"
        return render(self.request, self.template_name_signup_closed, {"reason": reason})

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        invitation = find_usable_invitation(
            key=self.request.session.get(INVITATION_SESSION_KEY, "")
        )
        if invitation is not None:
            context["inviter"] = find_card(uid=invitation.created_by_id)
        return context


log_in = keep_opener_for_apps(LogInView.as_view())
log_out = LogOutView.as_view()
sign_up = keep_opener_for_apps(SignUpView.as_view())
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
