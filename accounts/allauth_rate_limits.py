"""Waiting times for allauth's rate limits: log-in, sign-up, password changes.

``ACCOUNT_RATE_LIMITS`` and allauth's defaults define limits per address, user and account. allauth does not
report which limit was exceeded. So the waiting time is the longest period of these limits, which is an
upper bound.
"""

import math

from allauth.account import app_settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import ngettext

from accounts.infra.rate_limits import parse_rate

LOGIN_FAILED = "login_failed"

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
"""The allauth rate limit that applies to each allauth page, by URL name."""


def record_login_wait(*, request: HttpRequest) -> str:
    """Store the waiting time for too many failed log-ins on the request. Return the error message.

    ``apply_login_wait`` reads the waiting time.
    """
    seconds = _longest_wait_seconds(LOGIN_FAILED)
    request.retry_after = seconds  # type: ignore[attr-defined]
    minutes = math.ceil(seconds / 60)
    return ngettext(
        "Too many incorrect passwords. Wait up to a minute, or reset your password.",
        "Too many incorrect passwords. Wait up to %(minutes)d minutes, or reset your password.",
        minutes,
    ) % {"minutes": minutes}


def apply_login_wait(*, request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Change the response to status 429 with ``Retry-After`` if ``record_login_wait`` was called."""
    seconds = getattr(request, "retry_after", None)
    if seconds is not None:
        response.status_code = 429
        response["Retry-After"] = str(seconds)
    return response


def retry_after_seconds(*, request: HttpRequest) -> int | None:
    """Return the waiting time for an exceeded limit of an allauth page, None for other pages."""
    match = request.resolver_match
    action = ACTION_BY_URL_NAME.get(match.url_name or "") if match else None
    return None if action is None else _longest_wait_seconds(action)


def _longest_wait_seconds(action: str) -> int:
    """Return the longest period of an action's rates. Example of rates: "20/m/ip,5/h/key"."""
    rates = (
        parse_rate(text.strip().rpartition("/")[0])
        for text in app_settings.RATE_LIMITS[action].split(",")
    )
    return max(rate.seconds for rate in rates if rate is not None)
