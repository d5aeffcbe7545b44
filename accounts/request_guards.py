"""Middleware that refuses blocked networks and answers requests that exceed a rate limit."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.selectors.blocklists import is_network_blocked

from .infra.client_address import client_address
from .infra.rate_limits import RateLimited
from .infra.refusals import TryLater

GetResponse = Callable[[HttpRequest], HttpResponse]


class BlockedNetworkMiddleware:
    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.allowed_paths = {reverse("account_logout")}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (
            is_network_blocked(address=client_address(request))
            and request.path not in self.allowed_paths
        ):
            return render(request, "accounts/network_blocked.html", status=403)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, RateLimited):
            return rate_limited_response(request, error)
        return _unavailable_response(request, error) if isinstance(error, TryLater) else None


def rate_limited_response(request: HttpRequest, error: RateLimited) -> HttpResponse:
    """Return the error as a page, as plain text for a page's script, or as JSON for apps."""
    message = str(error)
    if request.headers.get("HX-Request"):
        response = HttpResponse(message, content_type="text/plain; charset=utf-8")
    elif request.accepts("text/html"):
        response = render(request, "429.html", {"message": message})
    else:
        response = JsonResponse({"error": message})
    return with_retry_after(response, error)


def _unavailable_response(request: HttpRequest, error: TryLater) -> HttpResponse:
    """Return the error as a page only to browsers that open a page, and as plain text for pictures."""
    if "text/html" in request.headers.get("Accept", "") and not request.headers.get("HX-Request"):
        response = render(request, "503.html", {"message": str(error)})
    else:
        response = HttpResponse(str(error), content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return with_retry_after(response, error)


def with_retry_after(response: HttpResponse, error: TryLater) -> HttpResponse:
    """Set status and ``Retry-After`` on a response that shows the error, such as a form."""
    response.status_code = error.status
    response["Retry-After"] = str(error.retry_after)
    return response
