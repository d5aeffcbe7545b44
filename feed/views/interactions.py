"""Handle the buttons and cards of posts, and show lists of likers and bookmarks."""

import json
from collections.abc import Callable
from typing import Literal

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.infra.cursors import cursor_param, page_bounds
from accounts.infra.refusals import Refused
from accounts.viewer import anchor_of, is_htmx, next_url, signed_in_user, viewer_id
from feed.activities import CannotAnswer, HasAnswered
from feed.selectors.comment_views import CommentView
from feed.selectors.likers import likers_page
from feed.selectors.post_view import PostView
from feed.selectors.posts_and_comments import bookmarks_page
from feed.selectors.visible_posts import visible_post
from feed.services import interactions
from feed.services.answers import answer

ToggleKind = Literal["like", "share", "bookmark"]

MAX_CHOICES_READ = 40
NUMBERS = {str(number): number for number in range(MAX_CHOICES_READ)}
INVALID = -1

POLLING_STOPS = 286
"""The status with which htmx shows a response and then stops polling."""


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
def share_post(request: HttpRequest, post_id: int) -> HttpResponse:
    post = visible_post(post_id=post_id, viewer=viewer_id(request), with_interactions=False)
    if not request.user.is_authenticated:
        return redirect_to_login(post.url)
    try:
        interactions.share_post(post=post, actor=signed_in_user(request))
    except Refused as refusal:
        if is_htmx(request):
            return with_message(HttpResponse(status=204), str(refusal))
        messages.error(request, str(refusal))
        return redirect(next_url(request, default=post.url))
    post = visible_post(post_id=post_id, viewer=viewer_id(request))
    return _changed_toggle(request, "share", post, _("Post shared with your followers."))


def _changed_toggle(
    request: HttpRequest, kind: ToggleKind, post: PostView, message: str = ""
) -> HttpResponse:
    """Return the changed button to htmx; otherwise redirect to the page of the button."""
    if not is_htmx(request):
        return _back_to_post(request, post.id, message, default=post.url)
    return toggle_response(request, post=post, kind=kind, message=message)


def _button(
    kind: ToggleKind, change: Callable[..., PostView]
) -> Callable[[HttpRequest, int], HttpResponse]:
    """Return the view of a button that changes what the viewer does with a post."""

    @require_POST
    def view(request: HttpRequest, post_id: int) -> HttpResponse:
        post = visible_post(post_id=post_id, viewer=viewer_id(request), with_interactions=False)
        if not request.user.is_authenticated:
            return redirect_to_login(post.url)
        return _changed_toggle(request, kind, change(post=post, actor=signed_in_user(request)))

    return view


def _undo_button(
    kind: ToggleKind,
    undo: Callable[..., bool],
    message: str | Promise = "",
    *,
    default: str = "home",
) -> Callable[[HttpRequest, int], HttpResponse]:
    """Return the view of a button that undoes an action. The viewer may no longer see the post."""

    @require_POST
    def view(request: HttpRequest, post_id: int) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("home"))
        undo(post_id=post_id, actor=signed_in_user(request))
        if not is_htmx(request):
            return _back_to_post(request, post_id, str(message), default=default)
        post = visible_post(post_id=post_id, viewer=viewer_id(request))
        return _changed_toggle(request, kind, post, str(message))

    return view


like_post = _button("like", interactions.like_post)
bookmark_post = _button("bookmark", interactions.bookmark_post)
unlike_post = _undo_button("like", interactions.unlike_post)
unshare_post = _undo_button("share", interactions.unshare_post, gettext_lazy("Share removed."))
unbookmark_post = _undo_button("bookmark", interactions.remove_bookmark, default="bookmarks")


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
@login_required
def pin_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in_user(request)
    post = visible_post(post_id=post_id, viewer=user.pk, with_interactions=False)
    try:
        interactions.pin_post(post=post, actor=user)
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("Post pinned to your profile."))
    return redirect(next_url(request, default=reverse("profile", args=[user.username])))


@require_POST
@login_required
def unpin_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in_user(request)
    interactions.unpin_post(post_id=post_id, actor=user)
    messages.success(request, _("Post unpinned."))
    return redirect(next_url(request, default=reverse("profile", args=[user.username])))


def toggle_response(
    request: HttpRequest,
    *,
    post: PostView,
    kind: ToggleKind = "like",
    comment: CommentView | None = None,
    message: str = "",
) -> HttpResponse:
    """Return the changed button to htmx. The script of the page shows the message."""
    context = {"post": post, "kind": kind, "comment": comment, "at": anchor_of(request)}
    response = render(request, "feed/_toggle.html", context)
    return with_message(response, message) if message else response


def with_message(response: HttpResponse, message: str) -> HttpResponse:
    """Let the script of the page show a message."""
    response["HX-Trigger"] = json.dumps({"site:message": message})
    return response


@require_safe
def show_answers(request: HttpRequest, post_id: int) -> HttpResponse:
    """Return a card to htmx, which asks for it on the page of the post. Otherwise redirect to that page."""
    post = visible_post(post_id=post_id, viewer=viewer_id(request))
    if post.answer_card is None:
        raise Http404("This post takes no answers.")
    if not is_htmx(request):
        return redirect(post.url)
    status = POLLING_STOPS if post.answer_card.is_over else 200
    return render(
        request, post.activity.card_template, {"post": post, "large": True}, status=status
    )


@require_POST
def answer_post(request: HttpRequest, post_id: int) -> HttpResponse:
    """Answer, for example vote, and return the card to htmx; otherwise redirect to the page of the button.

    One form of the page contains all its cards, so the name of the choices contains the id of the post.
    """
    viewer = viewer_id(request)
    post = visible_post(post_id=post_id, viewer=viewer)
    if not request.user.is_authenticated:
        return redirect_to_login(post.url)
    values = request.POST.getlist(f"choice-{post.id}")[:MAX_CHOICES_READ]
    choices = [NUMBERS.get(value, INVALID) for value in values]
    is_refused = False
    try:
        message = answer(post=post, choices=choices, actor=signed_in_user(request))
    except HasAnswered as refusal:
        message = str(refusal)  # a double click, or another device: show the results
    except CannotAnswer as refusal:
        message, is_refused = str(refusal), True
    if not is_htmx(request):
        (messages.error if is_refused else messages.success)(request, message)
        return redirect(next_url(request, default=post.url, anchor=f"post-{post.id}"))
    post = visible_post(post_id=post_id, viewer=viewer)
    if is_refused and post.answer_card and post.answer_card.can_answer:
        return with_message(HttpResponse(status=204), message)
    context = {"post": post, "has_focus": True, "large": "live" in request.GET}
    response = render(request, post.activity.card_template, context)
    return with_message(response, message)
