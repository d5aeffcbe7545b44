"""Forms to follow and unfollow a hashtag.

``timelines.show_tag`` shows the posts with a hashtag, ``explore.show_tags`` the hashtags that are active.
"""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.viewer import next_url, signed_in_user
from feed.models import MAX_TEXT_LENGTH
from feed.services import tags
from feed.services.tags import CannotFollowTag
from feed.text.hashtags import is_tag_key, tag_key
from feed.text.renderer import tag_path


def tag_key_or_404(tag: str) -> str:
    """Return the normalized form of a hashtag in a URL. Raises Http404 for an invalid hashtag."""
    key = tag_key(tag) if len(tag) <= MAX_TEXT_LENGTH else ""
    if not is_tag_key(key):
        raise Http404("No such hashtag.")
    return key


@require_POST
def follow_tag(request: HttpRequest, tag: str) -> HttpResponse:
    key = tag_key_or_404(tag)
    if not request.user.is_authenticated:
        return redirect_to_login(tag_path(key))
    try:
        tags.follow_tag(uid=signed_in_user(request).pk, tag=key)
    except CannotFollowTag as refusal:
        messages.error(request, str(refusal))
    return redirect(next_url(request, default=tag_path(key)))


@require_POST
def unfollow_tag(request: HttpRequest, tag: str) -> HttpResponse:
    key = tag_key_or_404(tag)
    if not request.user.is_authenticated:
        return redirect_to_login(tag_path(key))
    tags.unfollow_tag(uid=signed_in_user(request).pk, tag=key)
    return redirect(next_url(request, default=tag_path(key)))
