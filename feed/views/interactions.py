"""Handle the like, share, bookmark and pin buttons of posts, and show lists of likers and bookmarks."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.infra.cursors import cursor_param, page_bounds
from accounts.viewer import is_htmx, next_url, signed_in_user, viewer_id
from feed.selectors.likers import likers_page
from feed.selectors.post_view import PostView
from feed.selectors.posts_and_comments import bookmarks_page
from feed.selectors.visible_posts import visible_post
from feed.services import bookmarks_and_pins, likes, shares
from feed.services.bookmarks_and_pins import CannotPin
from feed.services.shares import CannotShare

from .toggles import ToggleKind, toggle_response, with_message


@require_safe
def show_likers(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    post = visible_post(post_id=post_id, viewer=viewer)
    if post.author.username != username or post.id != post_id:
        return redirect("post_likers", post.author.username, post.id)
    page = likers_page(post_id=post.id, viewer=viewer, max_id=cursor_param(request, "max_id"))
    context = {"post": post, "people": page.rows, "older": page.older_cursor, "kind": "likers"}
    return render(request, "feed/likers.html", context)


@require_POST
def like_post(request: HttpRequest, post_id: int) -> HttpResponse:
    post = visible_post(post_id=post_id, viewer=viewer_id(request), with_interactions=False)
    if not request.user.is_authenticated:
        return redirect_to_login(post.url)
    return _changed_toggle(
        request, "like", likes.like_post(post=post, actor=signed_in_user(request))
    )


@require_POST
def unlike_post(request: HttpRequest, post_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    likes.unlike_post(post_id=post_id, actor=signed_in_user(request))
    return _undone_toggle(request, "like", post_id)


@require_POST
def share_post(request: HttpRequest, post_id: int) -> HttpResponse:
    post = visible_post(post_id=post_id, viewer=viewer_id(request), with_interactions=False)
    if not request.user.is_authenticated:
        return redirect_to_login(post.url)
    try:
        shares.share_post(post=post, actor=signed_in_user(request))
    except CannotShare as refusal:
        if is_htmx(request):
            return with_message(HttpResponse(status=204), str(refusal))
        messages.error(request, str(refusal))
        return redirect(next_url(request, default=post.url))
    post = visible_post(post_id=post_id, viewer=viewer_id(request))
    return _changed_toggle(request, "share", post, _("Post shared with your followers."))


@require_POST
def unshare_post(request: HttpRequest, post_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    shares.unshare_post(post_id=post_id, actor=signed_in_user(request))
    return _undone_toggle(request, "share", post_id, _("Share removed."))


def _changed_toggle(
    request: HttpRequest, kind: ToggleKind, post: PostView, message: str = ""
) -> HttpResponse:
    """Return the changed button to htmx; otherwise redirect to the page of the button."""
    if not is_htmx(request):
        return _back_to_post(request, post.id, message, default=post.url)
    return toggle_response(request, post=post, kind=kind, message=message)


def _undone_toggle(
    request: HttpRequest, kind: ToggleKind, post_id: int, message: str = ""
) -> HttpResponse:
    """Like ``_changed_toggle``, for a post that may no longer be visible to the viewer."""
    if not is_htmx(request):
        default = "bookmarks" if kind == "bookmark" else "home"
        return _back_to_post(request, post_id, message, default=default)
    post = visible_post(post_id=post_id, viewer=viewer_id(request))
    return _changed_toggle(request, kind, post, message)


def _back_to_post(
    request: HttpRequest, post_id: int, message: str, *, default: str
) -> HttpResponse:
    """Redirect to the post on the page of the button, or to ``default``."""
    if message:
        messages.success(request, message)
    return redirect(next_url(request, default=default, anchor=f"post-{post_id}"))


@require_safe
@login_required
def show_bookmarks(request: HttpRequest) -> HttpResponse:
    page = bookmarks_page(
        owner=signed_in_user(request).pk,
        bounds=page_bounds(request, limit=settings.FEED_PAGE_SIZE),
    )
    return render(request, "feed/bookmarks.html", {"page": page})


@require_POST
def bookmark_post(request: HttpRequest, post_id: int) -> HttpResponse:
    post = visible_post(post_id=post_id, viewer=viewer_id(request), with_interactions=False)
    if not request.user.is_authenticated:
        return redirect_to_login(post.url)
    bookmarked = bookmarks_and_pins.bookmark_post(post=post, actor=signed_in_user(request))
    return _changed_toggle(request, "bookmark", bookmarked)


@require_POST
def unbookmark_post(request: HttpRequest, post_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    bookmarks_and_pins.unbookmark_post(post_id=post_id, actor=signed_in_user(request))
    return _undone_toggle(request, "bookmark", post_id)


@require_POST
@login_required
def pin_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in_user(request)
    post = visible_post(post_id=post_id, viewer=user.pk, with_interactions=False)
    try:
        bookmarks_and_pins.pin_post(post=post, actor=user)
    except CannotPin as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("Post pinned to your profile."))
    return redirect(next_url(request, default=reverse("profile", args=[user.username])))


@require_POST
@login_required
def unpin_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in_user(request)
    bookmarks_and_pins.unpin_post(post_id=post_id, actor=user)
    messages.success(request, _("Post unpinned."))
    return redirect(next_url(request, default=reverse("profile", args=[user.username])))
