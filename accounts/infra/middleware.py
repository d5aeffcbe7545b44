"""Addresses of the API, and those where apps are let in, with a slash behind them are those without, as
clients know it from Mastodon."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

GetResponse = Callable[[HttpRequest], HttpResponseBase]
SLASHLESS_PREFIXES = ("/api/v1/", "/api/v2/", "/oauth/")


class TrailingSlashMiddleware:
    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(SLASHLESS_PREFIXES):
            request.path_info = request.path_info.rstrip("/")
            request.path = request.path.rstrip("/")
        return self.get_response(request)


# MERGED FROM accounts.infra.middleware: How long browsers may keep pages that were made for one user.
class PrivatePagesMiddleware:
    """Mark pages of logged-in users as theirs alone, after authentication.

    Shared caches do not keep such a page, and a browser asks before it shows one again. Going back still
    shows the page as it was left.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        user = getattr(request, "_cached_user", None)  # asks nothing where no view has
        is_page = response.get("Content-Type", "").startswith("text/html")
        is_personal = is_page and user is not None and user.is_authenticated
        if is_personal and not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-cache"
        return response
