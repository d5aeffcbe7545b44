"""Refuse blocked networks, and show refusals and exceeded rate limits, on error pages and in forms."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render

from accounts.selectors.blocklists import is_network_blocked

from .infra.client_address import client_address
from .infra.middleware import Middleware
from .infra.paths import path_for
from .infra.rate_limits import RateLimited
from .infra.refusals import Refused, TryLater


class BlockedNetworkMiddleware(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_blocked = is_network_blocked(address=client_address(request))
        if is_blocked and request.path != path_for("account_logout"):
            return render(request, "accounts/network_blocked.html", status=403)
        return super().__call__(request)

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


class RefusalsIn:
    """Show a refusal in a form: the service runs inside ``with RefusalsIn(form, "text"):``.

    The block returns the response after success. The code after the block shows the form (``form_page``).

    Args:
        field: the field that shows the message, None for the whole form.
        other_fields: other fields for some exceptions.
    """

    def __init__(
        self,
        form: Any,
        field: str | None = None,
        other_fields: Mapping[Any, str] = MappingProxyType({}),
    ) -> None:
        self._form, self._field, self._other_fields = form, field, other_fields

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> bool:
        if not isinstance(error, Refused | RateLimited):
            return False
        self._form.add_error(self._other_fields.get(type(error), self._field), str(error))
        if isinstance(error, RateLimited):
            self._form.try_later = error
        return True


def form_page(request: HttpRequest, template: str, form: Form, **context: object) -> HttpResponse:
    """Return a page with a form: with status 422 if it was sent, or the status of ``form.try_later``."""
    status = 422 if form.is_bound else 200
    response = render(request, template, {"form": form, **context}, status=status)
    error: TryLater | None = getattr(form, "try_later", None)
    return with_retry_after(response, error) if error else response


def with_retry_after(response: HttpResponse, error: TryLater) -> HttpResponse:
    """Set status and ``Retry-After`` on a response that shows the error, such as a form."""
    response.status_code = error.status
    response["Retry-After"] = str(error.retry_after)
    return response
