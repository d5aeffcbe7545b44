"""Pictures of profiles, the logo of the site, and the style sheets of an accent color."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts import profile_pictures
from accounts.brand import colors, logos
from accounts.infra import pictures

YEAR_SECONDS = 31_536_000


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def initial_svg(request: HttpRequest, color: str, letter: str) -> HttpResponse:
    svg = profile_pictures.initial_svg(color=_avatar_color(color), letter=letter)
    return HttpResponse(svg, content_type="image/svg+xml")


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def initial_png(request: HttpRequest, color: str, letter: str) -> HttpResponse:
    """Draw an initial as PNG, for programs that cannot display SVG."""
    png = profile_pictures.initial_png(color=_avatar_color(color), letter=letter)
    return HttpResponse(png, content_type="image/png")


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def avatar(request: HttpRequest, name: str) -> HttpResponseBase:
    path = profile_pictures.picture_path(kind=profile_pictures.AVATAR, name=name)
    return pictures.picture_response(path=path)


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def header_picture(request: HttpRequest, name: str) -> HttpResponseBase:
    path = profile_pictures.picture_path(kind=profile_pictures.HEADER, name=name)
    return pictures.picture_response(path=path)


def _avatar_color(number: str) -> str:
    if int(number) >= len(profile_pictures.COLORS):
        raise Http404
    return profile_pictures.COLORS[int(number)]


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
