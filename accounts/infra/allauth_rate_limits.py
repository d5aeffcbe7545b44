"""Waiting times for allauth's rate limits: log-in, sign-up, password changes.

``ACCOUNT_RATE_LIMITS`` and allauth's defaults set the limits per address, user and account. Allauth counts
requests but does not say when the next one is allowed, so this module computes it.
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
"""The allauth limit that applies to each allauth page."""


def record_login_wait(*, request: HttpRequest, key: str) -> str:
    """Return the error message for too many failed log-ins.

    Remembers the wait on the request, for ``apply_login_wait``.
    """
    seconds = _retry_seconds(request, LOGIN_FAILED, key)
    request.retry_after = seconds  # type: ignore[attr-defined]
    minutes = math.ceil(seconds / 60)
    return ngettext(
        "Too many incorrect passwords. Try again in a minute, or reset your password.",
        "Too many incorrect passwords. Try again in %(minutes)d minutes, or reset your password.",
        minutes,
    ) % {"minutes": minutes}


def apply_login_wait(*, request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Turn the response into a 429 with ``Retry-After`` if the log-in was refused."""
    seconds = getattr(request, "retry_after", None)
    if seconds is not None:
        response.status_code = 429
        response["Retry-After"] = str(seconds)
    return response


def retry_after_seconds(*, request: HttpRequest) -> int | None:
    """Return the wait after a refusal by an allauth page, or None if the page has no known limit."""
    match = request.resolver_match
    action = ACTION_BY_URL_NAME.get(match.url_name or "") if match else None
    if action is None:
        return None
    # Allauth counts password resets by this key. Its other pages ignore it.
    return _retry_seconds(request, action, request.POST.get("email", "").strip().lower())


def _retry_seconds(request: HttpRequest, action: str, key: str) -> int:
    """Return the seconds until every rate of the action allows another request; at least 1."""
    now, longest = time.time(), 1.0
    for rate in ratelimit.parse_rates(app_settings.RATE_LIMITS.get(action)):
        cache_key = ratelimit.get_cache_key(
            request, app=ALLAUTH_APP, action=action, rate=rate, key=key
        )
        times = [
            timestamp for timestamp in cache.get(cache_key, []) if timestamp > now - rate.duration
        ]
        if len(times) >= rate.amount:
            longest = max(longest, times[rate.amount - 1] + rate.duration - now)
    return math.ceil(longest)
