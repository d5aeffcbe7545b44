"""The logo of the site, and the style sheets of an accent color."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts.brand import colors, logos
from accounts.infra import pictures

from .avatars import YEAR_SECONDS


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def site_logo(request: HttpRequest, name: str) -> HttpResponseBase:
    if not logos.is_stored(name=name):
        raise Http404("No such logo.")
    return pictures.picture_response(path=logos.logo_path(name=name))


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def site_theme(request: HttpRequest, color: str, digest: str) -> HttpResponse:
    """Return the style sheet of a color. The URL contains its inputs, so this needs no database.

    The digest tells the style sheet of the site from that of the admin, and changes with the program.
    """
    accent = f"#{color}"
    if not colors.is_color(accent) or colors.accent_contrast(accent) < colors.MIN_CONTRAST:
        raise Http404("No such color.")
    for css in (colors.site_css(accent), colors.admin_css(accent)):
        if colors.css_digest(css) == digest:
            return HttpResponse(css, content_type="text/css; charset=utf-8")
    raise Http404("No such style sheet.")
