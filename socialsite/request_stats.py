"""Count requests, their time, and who is here. Nothing is written during a request (``feed.stats``)."""

import time
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.models import User
from feed import stats
from feed.stats import SITE, Metric


class RequestStatsMiddleware:
    """The outermost of those that depend on the site; files that WhiteNoise serves are not counted."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self._get_response(request)
        seconds = time.perf_counter() - began
        if request.path.startswith("/api/"):
            stats.count(subject=SITE, metric=Metric.API_CALLS)
        elif response.get("Content-Type", "").startswith("text/html"):
            stats.count(subject=SITE, metric=Metric.PAGES)
            stats.count(subject=SITE, metric=Metric.PAGE_MS, number=round(seconds * 1000))
        uid = _uid(request)
        if uid is not None:
            stats.count_active_user(uid=uid)
        return response


def _uid(request: HttpRequest) -> int | None:
    """Return the uid of the viewer if a view has asked for it, so that nothing is read for this."""
    user = getattr(request, "_cached_user", None) or vars(request).get("user")
    # Not isinstance: it would make a lazy user read the database.
    return user.pk if type(user) is User else None
