"""Pages and forms for comments on a post."""

from dataclasses import replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.infra.cursors import cursor_param, parse_id
from accounts.request_guards import RefusalsIn, form_page
from accounts.viewer import is_htmx, next_url, signed_in_user, viewer_id
from feed.forms.comments import CommentEditForm, CommentForm
from feed.models import Post
from feed.selectors.comment_views import CommentView
from feed.selectors.comments import (
    CommentBounds,
    comments_page,
    cursor_before,
    thread_root,
    visible_comment,
)
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post
from feed.services import comments, interactions

from .interactions import toggle_response

INLINE_FORM_CONTEXT = {"in_place": True, "autofocus": True}
"""Context of a reply form that htmx inserts below a comment."""

CONTEXT_COMMENTS = 3
"""A link to a comment opens a page that starts this many comments before it."""


@require_safe
def show_thread(request: HttpRequest, username: str, post_id: int, comment_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    post = visible_post(post_id=post_id, viewer=viewer)
    root = thread_root(post=post, comment_id=comment_id, viewer=viewer)
    if post.author.username != username or post.id != post_id:
        return redirect("comment_thread", post.author.username, post.id, comment_id)
    page = comments_page(
        post=post,
        viewer=viewer,
        bounds=CommentBounds(
            after=cursor_param(request, "after"), before=cursor_param(request, "before")
        ),
        thread_id=comment_id,
    )
    if not (root.author or root.reply_count or page.comments):
        raise Http404("The viewer may read neither the comment nor a reply.")
    context = {"post": post, "thread_root": root, "page": page}
    parent = _replied_comment(request, post, root)
    if request.user.is_authenticated and post.can_comment and parent.author:
        form = CommentForm(initial={"parent": parent.id}, post=post, parent=parent)
        context |= {"form": form, "parent_comment": parent, "autofocus": "to" in request.GET}
    return render(request, "feed/thread.html", context)


@require_safe
def open_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Redirect to the page of the post, thread or conversation on which the comment appears."""
    post, comment = _post_and_comment(request, post_id, comment_id)
    if post.visibility == Post.Visibility.DIRECT:
        url = reverse("conversation", args=[post.id])
        return redirect(f"{url}?at={comment.id}#comment-{comment.id}")
    after = cursor_before(
        post=post, comment=comment, viewer=viewer_id(request), count=CONTEXT_COMMENTS
    )
    query = "" if after is None else f"?after={after}"
    return redirect(f"{_thread_url(post, comment)}{query}#comment-{comment.id}")


@require_POST
def add_comment(request: HttpRequest, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    post = visible_post(post_id=post_id, viewer=viewer, with_interactions=False)
    if not request.user.is_authenticated:
        return redirect_to_login(post.url)
    is_in_place = is_htmx(request)
    parent_text, parent = request.POST.get("parent", ""), None
    if parent_id := parse_id(parent_text):
        parent = visible_comment(post=post, comment_id=parent_id, viewer=viewer)
    form = CommentForm(request.POST, auto_id=_field_ids(parent_text), post=post, parent=parent)
    if form.is_valid():
        with RefusalsIn(form, "text"):
            comment_id = comments.add_comment(
                post=post,
                actor=signed_in_user(request),
                text=form.cleaned_data["text"],
                parent=parent,
                content_warning=form.cleaned_data["content_warning"],
                visibility=form.cleaned_data["visibility"] or None,
                idempotency_key=form.cleaned_data["idempotency_key"],
            )
            draft = f"{request.user.pk}:comment:{post.id}:{parent_id or 0}"
            if is_in_place:
                return _render_published_reply(request, post, comment_id, draft)
            is_message = post.visibility == Post.Visibility.DIRECT
            text = _("Message sent.") if is_message else _("Comment published.")
            messages.success(request, text, extra_tags=draft)
            return redirect("comment_permalink", post.id, comment_id)
    if is_in_place and parent is not None:
        context = {"post": post, "parent_comment": parent, **INLINE_FORM_CONTEXT}
        return form_page(request, "feed/_reply_form.html", form, **context)
    return form_page(request, "feed/comment_new.html", form, post=post)


@require_safe
@login_required
def show_reply_form(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Render the reply form for a comment. Without htmx, redirect to the thread, which has a form."""
    post, comment = _post_and_comment(request, post_id, comment_id)
    if not post.can_comment:
        raise Http404("The viewer may not reply.")
    if not is_htmx(request):
        thread_id = comment.thread_id or comment.id
        url = reverse("comment_thread", args=[post.author.username, post.id, thread_id])
        return redirect(f"{url}?to={comment.id}#answer")
    form = CommentForm(
        initial={"parent": comment.id},
        auto_id=_field_ids(str(comment.id)),
        post=post,
        parent=comment,
    )
    context = {"post": post, "form": form, "parent_comment": comment, **INLINE_FORM_CONTEXT}
    return render(request, "feed/_reply_form.html", context)


def _field_ids(parent: str) -> str:
    """Return ``auto_id`` for a reply form. The ids stay unique if a page has several reply forms."""
    return f"reply_{parse_id(parent)}_%s" if parent else "id_%s"


def _render_published_reply(
    request: HttpRequest, post: PostView, comment_id: int, draft: str
) -> HttpResponse:
    viewer = viewer_id(request)
    comment = visible_comment(post=post, comment_id=comment_id, viewer=viewer)
    context = {
        # The number of comments has changed.
        "post": visible_post(post_id=post.id, viewer=viewer, with_interactions=False),
        "comment": comment,
        "thread_id": comment.thread_id or comment.id,
        "draft": draft,
    }
    return render(request, "feed/_published_reply.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    post, comment = _post_and_comment(request, post_id, comment_id)
    if not comment.is_own:
        raise Http404("No such comment.")
    data = request.POST if request.method == "POST" else None
    initial = {"text": comment.text, "content_warning": comment.content_warning}
    form = CommentEditForm(data, initial=initial)
    if form.is_valid():
        with RefusalsIn(form, "text"):
            comments.edit_comment(
                post=post,
                comment=comment,
                actor=signed_in_user(request),
                text=form.cleaned_data["text"],
                content_warning=form.cleaned_data["content_warning"],
            )
            messages.success(request, _("Changes saved."))
            return redirect("comment_permalink", post.id, comment.id)
    return form_page(request, "feed/comment_edit.html", form, post=post, comment=comment)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    user = signed_in_user(request)
    post, comment = _post_and_comment(request, post_id, comment_id)
    if not (comment.can_delete or user.has_perm("feed.delete_post")):
        raise Http404("No such comment.")
    if request.method == "POST":
        comments.delete_comment(post=post, comment=comment, actor=user)
        messages.success(request, _("Comment deleted."))
        return redirect(f"{post.url}#comments")
    return render(request, "feed/comment_delete.html", {"post": post, "comment": comment})


@require_POST
def like_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    post, comment = _post_and_comment(request, post_id, comment_id)
    permalink = reverse("comment_permalink", args=[post.id, comment.id])
    if not request.user.is_authenticated:
        return redirect_to_login(permalink)
    is_new = comments.like_comment(post=post, comment=comment, actor=signed_in_user(request))
    if is_htmx(request):
        comment = replace(comment, is_liked=True, likes=comment.likes + is_new)
        return toggle_response(request, post=post, comment=comment)
    return redirect(next_url(request, default=permalink, anchor=f"comment-{comment.id}"))


@require_POST
def unlike_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    comments.unlike_comment(post_id=post_id, comment_id=comment_id, actor=signed_in_user(request))
    if is_htmx(request):
        post, comment = _post_and_comment(request, post_id, comment_id)
        return toggle_response(request, post=post, comment=comment)
    return redirect(next_url(request, default="home", anchor=f"comment-{comment_id}"))


@require_POST
def bookmark_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    post, comment = _post_and_comment(request, post_id, comment_id)
    permalink = reverse("comment_permalink", args=[post.id, comment.id])
    if not request.user.is_authenticated:
        return redirect_to_login(permalink)
    interactions.bookmark_comment(comment=comment, actor=signed_in_user(request))
    return redirect(next_url(request, default=permalink))


@require_POST
def unbookmark_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    interactions.remove_bookmark(post_id=comment_id, actor=signed_in_user(request))
    return redirect(next_url(request, default="bookmarks"))


def _post_and_comment(
    request: HttpRequest, post_id: int, comment_id: int
) -> tuple[PostView, CommentView]:
    viewer = viewer_id(request)
    post = visible_post(post_id=post_id, viewer=viewer)
    return post, visible_comment(post=post, comment_id=comment_id, viewer=viewer)


def _thread_url(post: PostView, comment: CommentView) -> str:
    if not comment.thread_id:
        return post.url
    return reverse("comment_thread", args=[post.author.username, post.id, comment.thread_id])


def _replied_comment(request: HttpRequest, post: PostView, root: CommentView) -> CommentView:
    """Return the comment to which the form replies: the comment in ``?to=``, or the root comment."""
    comment_id = cursor_param(request, "to")
    if comment_id is None or comment_id == root.id:
        return root
    return visible_comment(post=post, comment_id=comment_id, viewer=viewer_id(request))
