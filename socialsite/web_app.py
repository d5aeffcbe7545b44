"""The manifest, service worker and offline page. They make the site installable as an app."""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import path, reverse
from django.utils.translation import get_language, get_language_bidi
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from accounts.brand import logos
from accounts.brand.current import current_brand
from accounts.context_processors import THEMES

BACKGROUND = "#fdfcfa"
"""The background color of pages in light mode, as in ``site.css``."""

ICONS = (
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("icon-maskable.png", "512x512", "maskable"),
)
"""(file, size, purpose). Systems may crop a maskable icon to a circle."""

MAX_AGE_SECONDS = 3600


@require_safe
@cache_control(public=True, max_age=MAX_AGE_SECONDS)
def manifest(request: HttpRequest) -> HttpResponse:
    """Describe the site to browsers that install it (https://www.w3.org/TR/appmanifest/)."""
    home, brand = reverse("home"), current_brand()
    data = {
        "id": home,
        "name": brand.name,
        "short_name": brand.name,
        "description": brand.description or _("Posts from the people you follow, newest first."),
        "lang": get_language(),
        "dir": "rtl" if get_language_bidi() else "ltr",
        "start_url": home,
        "scope": home,
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": BACKGROUND,
        "categories": ["social"],
        "icons": _icons(brand.logo_url),
        "shortcuts": [
            {"name": _("Write a post"), "url": reverse("publish_post")},
            {"name": _("Notifications"), "url": reverse("notifications")},
        ],
    }
    return JsonResponse(data, content_type="application/manifest+json")


@require_safe
@cache_control(public=True, max_age=MAX_AGE_SECONDS)
@conditional_page
def service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the service worker. A script under /static/ could not control the whole site.

    The script changes with the offline page and its stylesheets, so that browsers store both again.
    """
    page = _offline_page(theme="auto")
    version = sha256(page.encode()).hexdigest()[:12]
    styles = [static("css/site.css"), static("css/icons.css"), current_brand().theme_url]
    values = {"VERSION": version, "FILES": [reverse("offline"), *filter(None, styles)]}
    lines = [f"const {name} = {json.dumps(value)};\n" for name, value in values.items()]
    return HttpResponse(
        "".join(lines) + _worker_source(), content_type="text/javascript; charset=utf-8"
    )


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """Return the page that the service worker shows without a connection. It depends on no user."""
    theme = request.COOKIES.get("theme", "auto")
    return HttpResponse(_offline_page(theme=theme if theme in THEMES else "auto"))


def _offline_page(*, theme: str) -> str:
    brand = current_brand()
    context = {"site_name": brand.name, "theme_url": brand.theme_url, "theme": theme}
    return render_to_string("offline.html", context)


def _icons(logo_url: str) -> list[dict[str, str]]:
    """Return the logo of the site or, without one, our icons. A logo has a transparent background."""
    if logo_url:
        side = logos.SIDE_PIXELS
        return [{"src": logo_url, "sizes": f"{side}x{side}", "type": "image/webp"}]
    return [
        {"src": static(name), "sizes": size, "type": "image/png", "purpose": purpose}
        for name, size, purpose in ICONS
    ]


@cache
def _worker_source() -> str:
    file = finders.find("js/worker.js")
    assert isinstance(file, str)  # noqa: S101 - narrows the type: the file is part of this app
    return Path(file).read_text()


urlpatterns = [
    path("manifest.webmanifest", manifest, name="manifest"),
    path("worker.js", service_worker, name="service_worker"),
    path("offline/", offline, name="offline"),
]
