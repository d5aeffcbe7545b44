"""Pages and forms for what people say to a post."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guarding import asked_to_wait
from accounts.limits import TooMany
from accounts.paging import cursor, id_in
from accounts.viewer import signed_in, viewer_id, way_back
from feed import selectors, services
from feed.forms import CommentForm, EditForm
from feed.selectors import CommentView, PostView

IN_PLACE = {"in_place": True, "autofocus": True}
"""Context of a reply form that htmx puts under a comment."""

BEFORE_IT = 3
"""A link to a comment opens the page on which so many comments stand before it."""


@require_safe
def thread(request: HttpRequest, username: str, post_id: int, comment_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    post = selectors.post(post_id=post_id, viewer=viewer)
    start = selectors.thread_start(post=post, comment_id=comment_id, viewer=viewer)
    if post.author.username != username or post.id != post_id:
        return redirect("thread", post.author.username, post.id, comment_id)
    page = selectors.comments_page(
        post=post,
        viewer=viewer,
        thread=comment_id,
        after=cursor(request, "after"),
        before=cursor(request, "before"),
    )
    context = {"post": post, "start": start, "page": page}
    if request.user.is_authenticated and post.may_answer and start.by:
        answered = _answered(request, post, start)
        form = CommentForm(initial={"parent": answered.id})
        context |= {"form": form, "answered": answered, "autofocus": "to" in request.GET}
    return render(request, "feed/thread.html", context)


@require_safe
def open_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """The page on which a comment stands."""
    post, comment = _found(request, post_id, comment_id)
    after = comment.position - BEFORE_IT - 1
    where = f"?after={after}" if after >= 0 else ""
    return redirect(f"{_thread_url(post, comment)}{where}#comment-{comment.id}")


@require_POST
def add(request: HttpRequest, post_id: int) -> HttpResponse:
    post = selectors.post(post_id=post_id, viewer=viewer_id(request))
    if not request.user.is_authenticated:
        return redirect_to_login(post.url)
    is_in_place = bool(getattr(request, "htmx", False))
    form = CommentForm(request.POST, auto_id=_field_ids(request.POST.get("parent", "")))
    too_many = None
    if form.is_valid():
        try:
            made = services.comment_on_post(
                post_id=post.id, actor=signed_in(request), **form.cleaned_data
            )
        except services.CannotComment as refusal:
            form.add_error("text", str(refusal))
        except TooMany as refusal:
            form.add_error("text", str(refusal))
            too_many = refusal
        else:
            draft = f"{request.user.pk}:comment:{post.id}:{form.cleaned_data['parent']}"
            if is_in_place:
                return _published_in_place(request, post, made, draft)
            messages.success(request, _("Your comment is there."), extra_tags=draft)
            return redirect("open_comment", post.id, made)
    context: dict[str, Any] = {"post": post, "form": form}
    template = "feed/comment_form.html"
    parent = form.cleaned_data.get("parent")
    if is_in_place and parent:
        template = "feed/_answer.html"
        viewer = signed_in(request).pk
        answered = selectors.comment(post=post, comment_id=parent, viewer=viewer)
        context |= {"answered": answered, **IN_PLACE}
    response = render(request, template, context, status=422)
    return asked_to_wait(response, too_many) if too_many else response


@require_safe
@login_required
def reply(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """The form to reply to a comment, for the page it stands on; without htmx, the page of its thread."""
    post, comment = _found(request, post_id, comment_id)
    if not post.may_answer:
        raise Http404("Not to be answered by the viewer.")
    if not getattr(request, "htmx", False):
        thread = comment.thread or comment.id
        page = reverse("thread", args=[post.author.username, post.id, thread])
        return redirect(f"{page}?to={comment.id}#answer")
    form = CommentForm(initial={"parent": comment.id}, auto_id=_field_ids(str(comment.id)))
    context = {"post": post, "form": form, "answered": comment, **IN_PLACE}
    return render(request, "feed/_answer.html", context)


def _field_ids(parent: str) -> str:
    """How fields are called in the page, where several forms may stand."""
    return f"reply_{id_in(parent)}_%s" if parent else "id_%s"


def _published_in_place(
    request: HttpRequest, post: PostView, comment_id: int, draft: str
) -> HttpResponse:
    comment = selectors.comment(post=post, comment_id=comment_id, viewer=viewer_id(request))
    context = {
        "post": post,
        "comment": comment,
        "thread_id": comment.thread or comment.id,
        "draft": draft,
    }
    return render(request, "feed/_replied.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    post, comment = _found(request, post_id, comment_id)
    if not comment.is_own:
        raise Http404("No such comment.")
    given = request.POST if request.method == "POST" else None
    form = EditForm(given, initial={"text": comment.text})
    if form.is_valid():
        services.edit_comment(
            post_id=post.id,
            comment_id=comment.id,
            actor=signed_in(request),
            text=form.cleaned_data["text"],
        )
        messages.success(request, _("Your changes are saved."))
        return redirect("open_comment", post.id, comment.id)
    context = {"post": post, "comment": comment, "form": form}
    return render(request, "feed/comment_edit.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    user = signed_in(request)
    post, comment = _found(request, post_id, comment_id)
    if not (comment.may_delete or user.has_perm("feed.delete_post")):
        raise Http404("No such comment.")
    if request.method == "POST":
        services.delete_comment(post_id=post.id, comment_id=comment.id, actor=user)
        messages.success(request, _("The comment is deleted."))
        return redirect(f"{post.url}#comments")
    return render(request, "feed/comment_delete.html", {"post": post, "comment": comment})


@require_POST
def like(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    post, comment = _found(request, post_id, comment_id)
    here = reverse("open_comment", args=[post.id, comment.id])
    if not request.user.is_authenticated:
        return redirect_to_login(here)
    services.like_comment(post_id=post.id, comment_id=comment.id, actor=signed_in(request))
    return redirect(way_back(request, default=here))


@require_POST
def unlike(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    services.unlike_comment(post_id=post_id, comment_id=comment_id, actor=signed_in(request))
    return redirect(way_back(request, default="home"))


@require_POST
def bookmark(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    post, comment = _found(request, post_id, comment_id)
    here = reverse("open_comment", args=[post.id, comment.id])
    if not request.user.is_authenticated:
        return redirect_to_login(here)
    services.bookmark_comment(post_id=post.id, comment_id=comment.id, actor=signed_in(request))
    return redirect(way_back(request, default=here))


@require_POST
def unbookmark(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    services.unbookmark_comment(comment_id=comment_id, actor=signed_in(request))
    return redirect(way_back(request, default="bookmarks"))


def _found(request: HttpRequest, post_id: int, comment_id: int) -> tuple[PostView, CommentView]:
    viewer = viewer_id(request)
    post = selectors.post(post_id=post_id, viewer=viewer)
    return post, selectors.comment(post=post, comment_id=comment_id, viewer=viewer)


def _thread_url(post: PostView, comment: CommentView) -> str:
    if not comment.thread:
        return post.url
    return reverse("thread", args=[post.author.username, post.id, comment.thread])


def _answered(request: HttpRequest, post: PostView, start: CommentView) -> CommentView:
    """Which comment of the thread the form answers: the one in ``?to=``, or the first."""
    to = cursor(request, "to")
    if to is None or to == start.id:
        return start
    return selectors.comment(post=post, comment_id=to, viewer=viewer_id(request))
