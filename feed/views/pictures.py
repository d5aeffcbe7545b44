"""Serve pictures of posts.

The URL of a public picture works for everyone. Other pictures need a signed URL, which the site shows only
to users who may read the post.
"""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from accounts.infra.cursors import parse_id
from accounts.infra.pictures import picture_response
from accounts.views.avatars import YEAR_SECONDS
from feed import picture_files
from feed.selectors.pictures import picture_signature_scope


@require_safe
def serve_picture(request: HttpRequest, name: str, size: str) -> HttpResponseBase:
    expires_at, key = parse_id(request.GET.get("until", "")), request.GET.get("key", "")
    signature_scope = picture_signature_scope(name=name)
    if signature_scope is None:
        caching = {"public": True, "max_age": YEAR_SECONDS, "immutable": True}
    elif seconds := picture_files.seconds_until_expiry(
        name=name, signature_scope=signature_scope, expires_at=expires_at, key=key
    ):
        caching = {"private": True, "max_age": seconds}
    else:
        raise Http404("No such picture.")
    response = picture_response(path=picture_files.storage_path(name=name, size=size))
    patch_cache_control(response, **caching)
    return response
