"""Pages and forms to read, publish, edit and delete a post, and to show its history."""

from dataclasses import asdict, replace
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.infra.cursors import cursor_param
from accounts.infra.viewer_keys import viewer_key
from accounts.request_guards import RefusalsIn, form_page
from accounts.selectors.follow_graph import has_follow_request
from accounts.viewer import is_htmx, signed_in_user, viewer_id
from feed.activities import Activity, home_kinds
from feed.forms.comments import CommentForm
from feed.forms.posts import ComposerDefaults, PostEditForm, PostForm, initial_values
from feed.models import Post
from feed.post_content import stored_content
from feed.selectors.comments import CommentBounds, post_with_comments, visible_comment_by_id
from feed.selectors.history import history_page
from feed.selectors.link_previews import is_indexable, post_preview
from feed.selectors.visible_posts import visible_post
from feed.services import posts
from feed.services.conversations import mark_read
from feed.services.view_counts import count_views
from feed.timeline.progress import delivery_progress

from .composer import FIELDS, compose, quoted_post, store_uploads

REDRAFT = "redraft"
"""Session key for the content of a deleted post. The composer starts with this content."""


@require_safe
def show_history(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    post = visible_post(post_id=post_id, viewer=viewer)
    if post.author.username != username or post.id != post_id:
        return redirect("post_history", post.author.username, post.id)
    page = history_page(post=post, viewer=viewer, max_id=cursor_param(request, "max_id"))
    return render(request, "feed/post_history.html", {"post": post, "page": page})


@require_safe
def show_post(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    try:
        post, page = post_with_comments(
            post_id=post_id,
            viewer=viewer,
            bounds=CommentBounds(
                after=cursor_param(request, "after"),
                before=cursor_param(request, "before"),
                is_at_end="end" in request.GET,
            ),
        )
    except Http404:
        # The API gives comments URLs like those of posts.
        post, comment = visible_comment_by_id(comment_id=post_id, viewer=viewer)
        return redirect("comment_permalink", post.id, comment.id)
    if post.author.username != username or post.id != post_id:
        # The link contains the author's old username, or the id of a share.
        return redirect(post.url)
    count_views(post_ids=[post.id], viewer_key=viewer_key(request))
    if viewer is not None and post.visibility == Post.Visibility.DIRECT:
        mark_read(post_id=post.id, reader=viewer)
    context = {
        "post": post,
        "preview": post_preview(post=post) if viewer is None else None,
        "is_indexable": is_indexable(post=post),
        "page": page,
        "form": CommentForm(post=post) if viewer is not None and post.can_comment else None,
        "is_self": post.is_own,
        "is_following": post.is_author_followed,
        # Only private accounts have follow requests, and only authors see the progress of a delivery.
        "is_requested": not post.is_author_followed
        and post.author.is_private
        and has_follow_request(follower=viewer, followee=post.author.uid),
        "delivery": delivery_progress(post_id=post_id, viewer=viewer) if post.is_own else None,
    }
    return render(request, "feed/post.html", context)


@require_safe
def show_options(request: HttpRequest, post_id: int) -> HttpResponse:
    """Show what the viewer can do with a post: as an open menu to htmx, otherwise as a page."""
    context = {"post": visible_post(post_id=post_id, viewer=viewer_id(request))}
    template = "feed/_post_menu_open.html" if is_htmx(request) else "feed/post_options.html"
    return render(request, template, context)


@require_safe
@login_required
def show_languages(request: HttpRequest) -> HttpResponse:
    """Show the languages to choose from, for the composer of the home page."""
    form = PostForm(initial={"language": signed_in_user(request).post_language})
    return render(request, "feed/_language_select.html", {"form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def publish_post(request: HttpRequest) -> HttpResponse:
    defaults = asdict(ComposerDefaults.of(signed_in_user(request)))
    quoted, quote_error = quoted_post(request)
    if request.method != "POST":
        if quoted and quoted.visibility == Post.Visibility.FOLLOWERS:
            defaults["visibility"] = quoted.visibility
        if REDRAFT in request.session:
            defaults |= initial_values(stored_content(request.session[REDRAFT]))
    response = compose(
        request,
        initial=defaults,
        kind=_kind(request),
        quoted=quoted,
        quote_error=quote_error,
        kinds=_written_kinds(),
    )
    if response.status_code == 302:
        request.session.pop(REDRAFT, None)
    return response


def _written_kinds() -> list[Activity]:
    return [kind for kind in home_kinds() if kind.is_written]


def _kind(request: HttpRequest) -> str:
    """Return the activity kind in the request. Raises Http404 if users cannot write posts of this kind."""
    kind = request.POST.get("kind") or request.GET.get("kind") or "note"
    if kind != _written_or_note(kind):
        raise Http404("Nothing of this kind is written here.")
    return kind


def _written_or_note(kind: str) -> str:
    return kind if kind in {activity.name for activity in _written_kinds()} else "note"


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in_user(request)
    post = visible_post(post_id=post_id, viewer=user.pk)
    if not post.can_edit:
        raise Http404("No such post.")
    if request.method != "POST":
        return form_page(
            request, "feed/post_edit.html", PostEditForm(owner=user, post=post), post=post
        )
    form = PostEditForm(request.POST, request.FILES, owner=user, post=post)
    pictures = store_uploads(form)
    if form.is_valid() and not form.needs_descriptions:
        with RefusalsIn(form, "text", FIELDS):
            posts.edit_post(
                post_id=post.id,
                actor=user,
                content=form.content(picture_ids=[picture.pk for picture in pictures]),
                descriptions=form.descriptions(),
            )
            messages.success(request, _("Changes saved."))
            return redirect(post.url)
    form.set_pictures([picture for picture in pictures if picture.post in (None, post.id)])
    return form_page(request, "feed/post_edit.html", form, post=post)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in_user(request)
    post = visible_post(post_id=post_id, viewer=user.pk)
    if not (post.is_own or user.has_perm("feed.delete_post")):
        raise Http404("No such post.")
    if request.method == "POST":
        is_redraft = post.is_own and "redraft" in request.POST
        posts.delete_post(post_id=post.id, actor=user, should_keep_pictures=is_redraft)
        if is_redraft:
            values = post.activity.field_values(post.row.details)
            request.session[REDRAFT] = replace(post.content, details=values).stored()
            messages.success(request, _("Post deleted. Edit its text and publish it again."))
            query = {"kind": _written_or_note(post.kind)}
            if post.quote and post.quote.post:
                query["quote"] = str(post.quote.post_id)
            return redirect(f"{reverse('publish_post')}?{urlencode(query)}")
        messages.success(request, _("Post deleted."))
        return redirect("home")
    return render(request, "feed/post_delete.html", {"post": post})
