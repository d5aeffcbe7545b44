"""Count requests, response times and active users.

``feed.stats`` writes counts to the database for the pages of administrators. ``accounts.infra.metrics`` has
the metrics of this process for Prometheus.
"""

import time

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.infra import metrics
from accounts.infra.middleware import Middleware
from accounts.models import User
from feed import stats
from feed.stats import SITE, Metric
from socialsite.engine.command_counter import command_count

KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class RequestStatsMiddleware(Middleware):
    """Counts all requests except static files.

    The middleware runs inside WhiteNoise, which serves static files, and outside all other middleware.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started_at, commands_before = time.perf_counter(), command_count()
        response = self._get_response(request)
        seconds = time.perf_counter() - started_at
        _count_request(request, response, seconds, command_count() - commands_before)
        if request.path.startswith("/api/"):
            stats.count(subject=SITE, metric=Metric.API_CALLS)
        elif response.get("Content-Type", "").startswith("text/html"):
            stats.count(subject=SITE, metric=Metric.PAGES)
            stats.count(subject=SITE, metric=Metric.PAGE_MS, number=round(seconds * 1000))
        uid = _loaded_uid(request)
        if uid is not None:
            stats.count_active_user(uid=uid)
        return response


def _count_request(
    request: HttpRequest, response: HttpResponseBase, seconds: float, commands: int
) -> None:
    match = request.resolver_match
    route = match.view_name or match.route if match is not None else "none"
    method = request.method if request.method in KNOWN_METHODS else "other"
    metrics.REQUESTS.labels(route, method, response.status_code).inc()
    metrics.REQUEST_SECONDS.labels(route).observe(seconds)
    if commands:
        metrics.REQUEST_COMMANDS.labels(route).inc(commands)
    metrics.publish_function_caches()


def _loaded_uid(request: HttpRequest) -> int | None:
    """Return the viewer's uid if a view has already loaded the user. Never runs a query."""
    user = getattr(request, "_cached_user", None) or vars(request).get("user")
    # ``isinstance`` would make a lazy user object read the database.
    return user.pk if type(user) is User else None
