"""What people do with a post: like and share it, and take that back; and who likes it."""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.paging import cursor
from accounts.viewer import signed_in, viewer_id, way_back
from feed import selectors, services


@require_safe
def likers(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    found = selectors.post(post_id=post_id, viewer=viewer)
    if found.author.username != username or found.id != post_id:
        return redirect("likers", found.author.username, found.id)
    page = selectors.likers_page(post=found.id, viewer=viewer, max_id=cursor(request, "max_id"))
    context = {"post": found, "people": page.people, "older": page.older, "kind": "likers"}
    return render(request, "feed/likers.html", context)


@require_POST
def like(request: HttpRequest, post_id: int) -> HttpResponse:
    found = selectors.post(post_id=post_id, viewer=viewer_id(request))
    if not request.user.is_authenticated:
        return redirect_to_login(found.url)
    services.like_post(post_id=post_id, actor=signed_in(request))
    return redirect(way_back(request, default=found.url))


@require_POST
def unlike(request: HttpRequest, post_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    services.unlike_post(post_id=post_id, actor=signed_in(request))
    return redirect(way_back(request, default="home"))


@require_POST
def share(request: HttpRequest, post_id: int) -> HttpResponse:
    found = selectors.post(post_id=post_id, viewer=viewer_id(request))
    if not request.user.is_authenticated:
        return redirect_to_login(found.url)
    try:
        services.share_post(post_id=post_id, actor=signed_in(request))
    except services.CannotShare as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("Shared with your followers."))
    return redirect(way_back(request, default=found.url))


@require_POST
def undo_share(request: HttpRequest, post_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    services.undo_share(post_id=post_id, actor=signed_in(request))
    messages.success(request, _("You no longer share this post."))
    return redirect(way_back(request, default="home"))
