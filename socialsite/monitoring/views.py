"""The URLs of monitoring systems and load balancers, and the middleware that answers them first."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import resolve
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from accounts.infra.middleware import Middleware

from .exposition import metrics_text
from .readiness import current_readiness

MONITORING_PATHS = frozenset({"/health", "/health/live", "/health/ready", "/metrics"})


class MonitoringMiddleware(Middleware):
    """Answers monitoring systems before all other middleware.

    Other middleware may query the database, for example to find blocked networks. A health check must
    respond even if the database server is frozen.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info in MONITORING_PATHS:
            view, _args, _kwargs = resolve(request.path_info)
            response: HttpResponseBase = view(request)
            return response
        return self._get_response(request)


@require_safe
@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """Report that this process responds, without checking the database.

    If this check failed while the database is down, the load balancer would remove all processes, and users
    would not even get an error page.
    """
    return HttpResponse("OK", content_type="text/plain")


@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """Report the result of each readiness check as JSON. The status is 503 if a check failed."""
    results = current_readiness()
    checks = {
        name: {"status": "ok"} if problem is None else {"status": "failed", "problem": problem.text}
        for name, problem in results.items()
    }
    is_ready = not any(results.values())
    return JsonResponse(
        {"status": "ok" if is_ready else "failed", "checks": checks},
        status=200 if is_ready else 503,
    )


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics to clients with the bearer token ``METRICS_TOKEN``. 404 for all others."""
    expected = f"Bearer {settings.METRICS_TOKEN}"
    authorization = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not constant_time_compare(authorization, expected):
        return HttpResponse("Not found", status=404, content_type="text/plain")
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE_LATEST)
