"""robots.txt and the sitemap: what search engines may read, and the profiles that allow it.

The sitemap lists the profiles in parts of ``PART_SIZE`` users (https://www.sitemaps.org). Each part starts
at the id of a user. The index of all parts is cached, because finding the parts reads the ids of all users.
"""

from collections.abc import Iterable
from functools import partial
from xml.sax.saxutils import escape

from django.conf import settings
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts.selectors.profiles import first_uids_of_parts, indexable_usernames

DISALLOWED_PATHS = (
    *("/accounts/", "/admin/", "/api/", "/oauth/", "/offline/", "/search/", "/settings/"),
    *("/notifications/", "/welcome/"),
)
PART_SIZE = 5000
MAX_PARTS = 1000
CACHE_SECONDS = 3600
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    lines = [
        "User-agent: *",
        *(f"Disallow: {folder}" for folder in DISALLOWED_PATHS),
        "Allow: /api/oembed",
        "",
        f"Sitemap: {settings.SITE_URL}{reverse('sitemap')}",
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=CACHE_SECONDS)
def sitemap_index(request: HttpRequest) -> HttpResponse:
    """List the parts of the sitemap. At most one database command for each part, once in an hour."""
    find_parts = partial(first_uids_of_parts, size=PART_SIZE, limit=MAX_PARTS)
    first_uids = cache.get_or_set("sitemap_parts", find_parts, CACHE_SECONDS)
    urls = (reverse("sitemap_part", args=[uid]) for uid in first_uids or ())
    return _xml(root="sitemapindex", item="sitemap", paths=urls)


@require_safe
@cache_control(public=True, max_age=CACHE_SECONDS)
def sitemap_part(request: HttpRequest, first_uid: int) -> HttpResponse:
    """List the profiles of one part. One database command."""
    usernames = indexable_usernames(first_uid=first_uid, limit=PART_SIZE)
    if usernames is None:
        raise Http404("No such part.")
    urls = (reverse("profile", args=[username]) for username in usernames)
    return _xml(root="urlset", item="url", paths=urls)


def _xml(*, root: str, item: str, paths: Iterable[str]) -> HttpResponse:
    items = "".join(
        f"<{item}><loc>{escape(settings.SITE_URL + url)}</loc></{item}>\n" for url in paths
    )
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{NAMESPACE}">\n{items}</{root}>\n'
    )
    return HttpResponse(text, content_type="application/xml; charset=utf-8")
