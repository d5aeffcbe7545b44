"""Pictures of profiles: uploaded pictures, and initials."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts import avatars, profile_pictures
from accounts.infra import pictures

YEAR_SECONDS = 31_536_000


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def initial_svg(request: HttpRequest, color: str, letter: str) -> HttpResponse:
    svg = avatars.initial_svg(color=_avatar_color(color), letter=letter)
    return HttpResponse(svg, content_type="image/svg+xml")


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def initial_png(request: HttpRequest, color: str, letter: str) -> HttpResponse:
    """Draw an initial as PNG, for programs that cannot display SVG."""
    png = avatars.initial_png(color=_avatar_color(color), letter=letter)
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
    if int(number) >= len(avatars.COLORS):
        raise Http404
    return avatars.COLORS[int(number)]
