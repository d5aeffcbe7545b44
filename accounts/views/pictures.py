"""Pictures of people: drawn for everybody, or their own."""

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts import avatars

A_YEAR = 31_536_000


@require_safe
@cache_control(public=True, max_age=A_YEAR, immutable=True)
def identicon(request: HttpRequest, uid: int) -> HttpResponse:
    """Drawn for any number, so that it reveals nothing about who exists."""
    return HttpResponse(avatars.identicon(uid=uid), content_type="image/svg+xml")


@require_safe
@cache_control(public=True, max_age=A_YEAR, immutable=True)
def avatar(request: HttpRequest, name: str) -> HttpResponseBase:
    try:
        picture = default_storage.open(avatars.path(name=name))
    except FileNotFoundError:
        raise Http404("No such picture.") from None
    return FileResponse(picture, content_type="image/webp")
