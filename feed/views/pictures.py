"""Serve pictures of posts, and save pictures of drafts.

The URL of a public picture works for everyone. Other pictures need a signed URL, which the site shows only
to users who may read the post.
"""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.infra.cursors import parse_id
from accounts.infra.pictures import BadPicture, picture_response
from accounts.infra.refusals import TryLater
from accounts.request_guards import with_retry_after
from accounts.viewer import signed_in_user
from accounts.views.avatars import YEAR_SECONDS
from feed import picture_files
from feed.forms import PostForm
from feed.selectors.pictures import picture_signature_scope
from feed.services.pictures import receive_upload, save_picture

PLAIN_TEXT = "text/plain; charset=utf-8"


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
    form = PostForm(owner=user)
    form.set_pictures([save_picture(owner=user.pk, decoded=decoded)])
    (row,) = form.picture_rows()
    context = {"row": row, "number": 1, "count": 1}
    return render(request, "feed/_composer_picture.html", context)
