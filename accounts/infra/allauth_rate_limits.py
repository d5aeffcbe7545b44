"""How long somebody has to wait who logs in, signs up or changes a password too often.

What is counted, per address, person and account, is said in ``ACCOUNT_RATE_LIMITS``, and for the rest by
allauth, which counts it and does not tell when there is room again.
"""

import math
import time

from allauth.account import app_settings
from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.translation import ngettext

ALLAUTH_APP, LOGIN_FAILED = "allauth.account", "login_failed"

ACTION_BY_URL_NAME = {
    "account_login": "login",
    "account_signup": "signup",
    "account_email": "manage_email",
    "account_change_password": "change_password",
    "account_set_password": "change_password",
    "account_reset_password": "reset_password",
    "account_reset_password_from_key": "reset_password_from_key",
    "account_reauthenticate": "reauthenticate",
    "mfa_reauthenticate": "reauthenticate",
}
"""Which of allauth's limits stands before which of its pages."""


def record_login_wait(*, request: HttpRequest, key: str) -> str:
    """Words for whoever is refused now; the answer to this request says it too (``say_wait``)."""
    seconds = _seconds(request, LOGIN_FAILED, key)
    request.retry_after = seconds  # type: ignore[attr-defined]
    minutes = math.ceil(seconds / 60)
    return ngettext(
        "Too many wrong passwords. Please try again in a minute, or choose a new password.",
        "Too many wrong passwords. Please try again in %(minutes)d minutes, or choose a new password.",
        minutes,
    ) % {"minutes": minutes}


def apply_login_wait(*, request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, as one that refuses for now if it does."""
    seconds = getattr(request, "retry_after", None)
    if seconds is not None:
        response.status_code = 429
        response["Retry-After"] = str(seconds)
    return response


def retry_after_seconds(*, request: HttpRequest) -> int | None:
    """For whoever is refused by one of allauth's pages; None where nobody can tell."""
    found = request.resolver_match
    action = ACTION_BY_URL_NAME.get(found.url_name or "") if found else None
    if action is None:
        return None
    # As allauth's page for a forgotten password counts it; the others ask for no such key.
    return _seconds(request, action, request.POST.get("email", "").strip().lower())


def _seconds(request: HttpRequest, action: str, key: str) -> int:
    """Until there is room in each of the limits again; at least one."""
    now, longest = time.time(), 1.0
    for rate in ratelimit.parse_rates(app_settings.RATE_LIMITS.get(action)):
        counted = ratelimit.get_cache_key(
            request, app=ALLAUTH_APP, action=action, rate=rate, key=key
        )
        within = [one for one in cache.get(counted, []) if one > now - rate.duration]
        if len(within) >= rate.amount:
            longest = max(longest, within[rate.amount - 1] + rate.duration - now)
    return math.ceil(longest)
