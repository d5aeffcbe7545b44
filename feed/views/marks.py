"""What people do with a post: like, share, keep and pin it, and take that back; and lists of that."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.paging import cursor, window
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


@require_safe
@login_required
def bookmarks(request: HttpRequest) -> HttpResponse:
    page = selectors.bookmarks_page(
        owner=signed_in(request).pk,
        limit=settings.FEED_PAGE_SIZE,
        **window(request),
    )
    return render(request, "feed/bookmarks.html", {"page": page})


@require_POST
def bookmark(request: HttpRequest, post_id: int) -> HttpResponse:
    found = selectors.post(post_id=post_id, viewer=viewer_id(request))
    if not request.user.is_authenticated:
        return redirect_to_login(found.url)
    services.bookmark_post(post_id=post_id, actor=signed_in(request))
    return redirect(way_back(request, default=found.url))


@require_POST
def unbookmark(request: HttpRequest, post_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    services.unbookmark_post(post_id=post_id, actor=signed_in(request))
    return redirect(way_back(request, default="bookmarks"))


@require_POST
@login_required
def pin(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in(request)
    try:
        services.pin_post(post_id=post_id, actor=user)
    except services.CannotPin as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("It is at the top of your profile now."))
    return redirect(way_back(request, default=reverse("profile", args=[user.username])))


@require_POST
@login_required
def unpin(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in(request)
    services.unpin_post(post_id=post_id, actor=user)
    messages.success(request, _("It is not pinned any more."))
    return redirect(way_back(request, default=reverse("profile", args=[user.username])))
