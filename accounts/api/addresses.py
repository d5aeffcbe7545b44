"""Addresses of the API, and those where apps are let in, with a slash behind them are those without, as
clients know it from Mastodon."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

GetResponse = Callable[[HttpRequest], HttpResponseBase]
SLASHLESS = ("/api/v1/", "/api/v2/", "/oauth/")


class TrailingSlashMiddleware:
    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(SLASHLESS):
            request.path_info = request.path_info.rstrip("/")
            request.path = request.path.rstrip("/")
        return self.get_response(request)
