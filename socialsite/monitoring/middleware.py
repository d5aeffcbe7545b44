"""Middleware that answers monitoring systems before all other middleware.

Other middleware may query the database, for example to find blocked networks. A health check must respond
even if the database server is frozen.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import resolve

MONITORING_PATHS = frozenset({"/health", "/health/live", "/health/ready", "/metrics"})


class MonitoringMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info in MONITORING_PATHS:
            view, _args, _kwargs = resolve(request.path_info)
            response: HttpResponseBase = view(request)
            return response
        return self._get_response(request)
