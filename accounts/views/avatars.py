"""Pictures of profiles: uploaded pictures, and identicons for any uid."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts import avatars, profile_pictures
from accounts.infra import pictures

YEAR_SECONDS = 31_536_000


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def identicon_svg(request: HttpRequest, uid: int) -> HttpResponse:
    """Draw an identicon for any uid, so that the response does not reveal which users exist."""
    return HttpResponse(avatars.identicon_svg(uid=uid), content_type="image/svg+xml")


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def identicon_png(request: HttpRequest, uid: int) -> HttpResponse:
    """Draw an identicon as PNG, for programs that cannot display SVG."""
    return HttpResponse(avatars.identicon_png(uid=uid), content_type="image/png")


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
