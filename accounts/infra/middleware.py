"""The base class of middleware, and middleware for trailing slashes, private pages and logs of requests."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django_structlog.middlewares import RequestMiddleware

PREFIXES_OF_FILES = ("/avatars/", "/media/", "/site-")
SLASHLESS_PREFIXES = ("/api/v1/", "/api/v2/", "/oauth/")


class Middleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)


class TrailingSlashMiddleware(Middleware):
    """Ignore trailing slashes in API and OAuth paths, as Mastodon does."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(SLASHLESS_PREFIXES):
            request.path_info = request.path_info.rstrip("/")
            request.path = request.path.rstrip("/")
        return self._get_response(request)


class PrivatePagesMiddleware(Middleware):
    """Mark pages of logged-in users as private, and pages of visitors with the header ``X-Visitor``.

    Must run after the authentication middleware.

    Shared caches do not store a private page. A browser revalidates its copy, but the back button still
    shows the page as the user left it. The header tells the service worker that the session has ended.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        # Set only if a view has read ``request.user``. Reading ``request.user`` here could cost a query.
        user = getattr(request, "_cached_user", None)
        is_page = response.get("Content-Type", "").startswith("text/html")
        is_personal = is_page and user is not None and user.is_authenticated
        if is_personal and not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-cache"
        elif is_page and user is not None and not user.is_authenticated:
            response["X-Visitor"] = "1"
        return response


class RequestLogMiddleware(RequestMiddleware):
    """Bind the id of the request and of the user to the logs of a request.

    A request for a picture or clip has no user: finding the user would be most of its cost.
    """

    @staticmethod
    def bind_user_id(request: HttpRequest) -> None:
        if not request.path_info.startswith(PREFIXES_OF_FILES):
            RequestMiddleware.bind_user_id(request)
