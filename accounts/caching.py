"""How long browsers may keep pages that were made for one user."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


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
