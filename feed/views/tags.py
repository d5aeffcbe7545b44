"""Hashtags: those that trend, those one follows, forms to follow them. The page of one: ``timelines``."""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.viewer import signed_in, viewer_id, way_back
from feed import selectors, services
from feed.models import MAX_TEXT
from feed.text.hashtags import is_key, tag_key
from feed.text.rendering import tag_path


def known_tag(tag: str) -> str:
    """The key of a tag in a URL, however it is written there. Raises Http404 for what can be no tag."""
    key = tag_key(tag) if len(tag) <= MAX_TEXT else ""
    if not is_key(key):
        raise Http404("No such hashtag.")
    return key


@require_safe
def tags(request: HttpRequest) -> HttpResponse:
    viewer = viewer_id(request)
    followed = [] if viewer is None else selectors.followed_tags(reader=viewer)
    context = {"trends": selectors.trending_tags(), "followed": followed}
    return render(request, "feed/tags.html", context)


@require_POST
def follow_tag(request: HttpRequest, tag: str) -> HttpResponse:
    key = known_tag(tag)
    if not request.user.is_authenticated:
        return redirect_to_login(tag_path(key))
    try:
        services.follow_tag(reader=signed_in(request).pk, tag=key)
    except services.CannotFollowTag as refusal:
        messages.error(request, str(refusal))
    return redirect(way_back(request, default=tag_path(key)))


@require_POST
def unfollow_tag(request: HttpRequest, tag: str) -> HttpResponse:
    key = known_tag(tag)
    if not request.user.is_authenticated:
        return redirect_to_login(tag_path(key))
    services.unfollow_tag(reader=signed_in(request).pk, tag=key)
    return redirect(way_back(request, default=tag_path(key)))
