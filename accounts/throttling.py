"""How long somebody has to wait who has tried too many passwords.

What is counted, per address and per account, is said in ``ACCOUNT_RATE_LIMITS``; allauth counts it and
does not tell when there is room again.
"""

import math
import time

from allauth.account import app_settings
from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.translation import ngettext

APP, ACTION = "allauth.account", "login_failed"


def note_wait(*, request: HttpRequest, key: str) -> str:
    """Words for whoever is refused now; the answer to this request says it too (``say_wait``)."""
    seconds = _seconds(request, key)
    request.retry_after = seconds  # type: ignore[attr-defined]
    minutes = math.ceil(seconds / 60)
    return ngettext(
        "Too many wrong passwords. Please try again in a minute, or choose a new password.",
        "Too many wrong passwords. Please try again in %(minutes)d minutes, or choose a new password.",
        minutes,
    ) % {"minutes": minutes}


def say_wait(*, request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, as one that refuses for now if it does."""
    seconds = getattr(request, "retry_after", None)
    if seconds is not None:
        response.status_code = 429
        response["Retry-After"] = str(seconds)
    return response


def _seconds(request: HttpRequest, key: str) -> int:
    """Until there is room in each of the limits again; at least one."""
    now, longest = time.time(), 1.0
    for rate in ratelimit.parse_rates(app_settings.RATE_LIMITS.get(ACTION)):
        counted = ratelimit.get_cache_key(request, app=APP, action=ACTION, rate=rate, key=key)
        within = [one for one in cache.get(counted, []) if one > now - rate.duration]
        if len(within) >= rate.amount:
            longest = max(longest, within[rate.amount - 1] + rate.duration - now)
    return math.ceil(longest)
