"""The pictures of posts. Whoever has the address of a public one may see it; others need a signed address,
which only readers of the post are shown."""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from accounts.infra.paging import parse_id
from accounts.infra.pictures import picture_response
from accounts.views.avatars import YEAR_SECONDS
from feed import picture_files
from feed.selectors.pictures import picture_signature_scope


@require_safe
def serve_picture(request: HttpRequest, name: str, size: str) -> HttpResponseBase:
    until, key = parse_id(request.GET.get("until", "")), request.GET.get("key", "")
    signed_for = picture_signature_scope(name=name)
    if signed_for is None:
        caching = {"public": True, "max_age": YEAR_SECONDS, "immutable": True}
    elif seconds := picture_files.seconds_until_expiry(
        name=name, signature_scope=signed_for, expires_at=until, key=key
    ):
        caching = {"private": True, "max_age": seconds}
    else:
        raise Http404("No such picture.")
    answer = picture_response(path=picture_files.storage_path(name=name, size=size))
    patch_cache_control(answer, **caching)
    return answer
