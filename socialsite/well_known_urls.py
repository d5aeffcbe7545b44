"""What a load balancer asks: whether this process answers. Not whether the database does: then all would
be taken away at once, and with them the pages that say so."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    return HttpResponse("OK", content_type="text/plain")


# MERGED FROM socialsite.well_known_urls: Addresses that others know without asking: browsers, robots, and apps for Mastodon.
DISALLOWED_PATHS = ("/accounts/", "/admin/", "/api/", "/oauth/", "/search/", "/settings/")


def _to(name: str) -> Any:
    return RedirectView.as_view(pattern_name=name)


def _to_file(name: str) -> Any:
    class ToFile(RedirectView):
        def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
            return static(name)  # knows the hash of the file's content

    return ToFile.as_view()


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", *(f"Disallow: {folder}" for folder in DISALLOWED_PATHS), ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


urlpatterns = [
    path("favicon.ico", _to_file("favicon.ico"), name="known_favicon"),
    path("apple-touch-icon.png", _to_file("apple-touch-icon.png"), name="known_touch_icon"),
    path(
        "apple-touch-icon-precomposed.png",
        _to_file("apple-touch-icon.png"),
        name="known_old_touch_icon",
    ),
    path("robots.txt", robots, name="robots"),
    path("auth/confirmation/new", _to("account_email"), name="known_confirmation"),
    path("auth/edit", _to("account_settings"), name="known_settings"),
    path("auth/password/new", _to("account_reset_password"), name="known_password"),
    path("settings/delete", _to("delete_account"), name="known_deletion"),
    path("terms", _to("rules"), name="known_terms"),
]
