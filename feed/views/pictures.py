"""Serve pictures and clips of posts, and save those of drafts.

The URL of a public file works for everyone. Other files need a signed URL, which the site shows only
to users who may read the post.
"""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.infra.cursors import parse_id
from accounts.infra.pictures import BadPicture, picture_response
from accounts.infra.refusals import TryLater
from accounts.request_guards import with_retry_after
from accounts.viewer import signed_in_user
from accounts.views.pictures import YEAR_SECONDS
from feed import clip_files, picture_files
from feed.forms.posts import PostForm
from feed.models import Picture
from feed.selectors.pictures import file_access, own_picture
from feed.services.pictures import receive_upload, save_picture

PLAIN_TEXT = "text/plain; charset=utf-8"


@require_safe
def serve_picture(request: HttpRequest, name: str, size: str) -> HttpResponseBase:
    _, caching = _check_access(request, name)
    response = picture_response(path=picture_files.storage_path(name=name, size=size))
    patch_cache_control(response, **caching)
    return response


@require_safe
def serve_clip(request: HttpRequest, name: str, suffix: str) -> HttpResponseBase:
    """Serve the file to play. Its type does not depend on ``suffix``, which is for people and apps."""
    kind, caching = _check_access(request, name)
    response = clip_files.clip_response(request=request, name=name, kind=kind)
    patch_cache_control(response, **caching)
    return response


def _check_access(request: HttpRequest, name: str) -> tuple[str, dict[str, Any]]:
    """Return the kind of the file and how to cache it. Raises Http404 if the viewer may not load it."""
    expires_at, key = parse_id(request.GET.get("until", "")), request.GET.get("key", "")
    kind, signature_scope = file_access(name=name)
    if signature_scope is None:
        return kind, {"public": True, "max_age": YEAR_SECONDS, "immutable": True}
    if seconds := picture_files.seconds_until_expiry(
        name=name, signature_scope=signature_scope, expires_at=expires_at, key=key
    ):
        return kind, {"private": True, "max_age": seconds}
    raise Http404("No such picture.")


@require_POST
@login_required
def upload_picture(request: HttpRequest) -> HttpResponse:
    """Save a picture for the composer's script. Return its row in the form, or an error as plain text."""
    user = signed_in_user(request)
    upload = request.FILES.get("pictures")
    if upload is None:
        return HttpResponse(_("Choose a picture."), content_type=PLAIN_TEXT, status=422)
    try:
        decoded = receive_upload(owner=user.pk, upload=upload)
    except BadPicture as error:
        return HttpResponse(str(error), content_type=PLAIN_TEXT, status=422)
    except TryLater as error:
        return with_retry_after(HttpResponse(str(error), content_type=PLAIN_TEXT), error)
    return _row(request, save_picture(owner=user.pk, decoded=decoded))


@require_safe
@login_required
@never_cache
def show_upload(request: HttpRequest, picture_id: int) -> HttpResponse:
    """Show the row of the viewer's picture or clip, for the composer's script: a clip may be ready now."""
    picture = own_picture(owner=signed_in_user(request).pk, picture_id=picture_id)
    return _row(request, picture)


def _row(request: HttpRequest, picture: Picture) -> HttpResponse:
    form = PostForm(owner=signed_in_user(request))
    form.set_pictures([picture])
    (row,) = form.picture_rows()
    context = {"row": row, "number": 1, "count": 1, "storage": form.storage}
    return render(request, "feed/_composer_picture.html", context)
