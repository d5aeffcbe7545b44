"""Count requests, response times and active users. ``feed.stats`` writes the counts later."""

import time
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.models import User
from feed import stats
from feed.stats import SITE, Metric


class RequestStatsMiddleware:
    """Counts all requests except static files.

    The middleware runs inside WhiteNoise, which serves static files, and outside all other middleware.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started_at = time.perf_counter()
        response = self._get_response(request)
        seconds = time.perf_counter() - started_at
        if request.path.startswith("/api/"):
            stats.count(subject=SITE, metric=Metric.API_CALLS)
        elif response.get("Content-Type", "").startswith("text/html"):
            stats.count(subject=SITE, metric=Metric.PAGES)
            stats.count(subject=SITE, metric=Metric.PAGE_MS, number=round(seconds * 1000))
        uid = _loaded_uid(request)
        if uid is not None:
            stats.count_active_user(uid=uid)
        return response


def _loaded_uid(request: HttpRequest) -> int | None:
    """Return the viewer's uid if a view has already loaded the user. Never runs a query."""
    user = getattr(request, "_cached_user", None) or vars(request).get("user")
    # ``isinstance`` would make a lazy user object read the database.
    return user.pk if type(user) is User else None
