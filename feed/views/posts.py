"""Pages and forms for one post: read, publish, edit, delete, and what it said before."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.guarding import with_retry_after
from accounts.infra.paging import cursor_param
from accounts.infra.rate_limits import RateLimited
from accounts.infra.viewer_keys import viewer_key
from accounts.selectors import follow_graph
from accounts.selectors.follow_graph import has_follow_request
from accounts.viewer import signed_in_user, viewer_id
from feed.activities import Activity, activity_kind, home_kinds
from feed.forms import CommentForm, PostEditForm, PostForm
from feed.selectors.comments import comments_page
from feed.selectors.history import history_page
from feed.selectors.lists import visible_post
from feed.selectors.posts import is_pinned
from feed.services import posts
from feed.services.pictures import CannotAttach, save_pictures
from feed.services.posts import CannotPublish
from feed.services.view_counts import count_views
from feed.timeline.progress import delivery_progress

REDRAFT = "redraft"
"""In the session: what somebody deleted in order to write it again."""


@require_safe
def show_history(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    found = visible_post(post_id=post_id, viewer=viewer)
    if found.author.username != username or found.id != post_id:
        return redirect("post_history", found.author.username, found.id)
    page = history_page(post=found, viewer=viewer, max_id=cursor_param(request, "max_id"))
    return render(request, "feed/post_history.html", {"post": found, "page": page})


@require_safe
def show_post(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    found = visible_post(post_id=post_id, viewer=viewer)
    if found.author.username != username or found.id != post_id:
        # An old link, from before the author's rename, or the id of a share.
        return redirect(found.url)
    count_views(post_ids=[found.id], viewer_key=viewer_key(request))
    author = found.author.uid
    is_following = follow_graph.is_following(follower=viewer, followee=author)
    context = {
        "post": found,
        "page": comments_page(
            post=found,
            viewer=viewer,
            after=cursor_param(request, "after"),
            before=cursor_param(request, "before"),
            should_start_at_end="end" in request.GET,
        ),
        "form": CommentForm() if viewer is not None and found.can_comment else None,
        "is_self": found.is_own,
        "is_following": is_following,
        "is_requested": not is_following and has_follow_request(follower=viewer, followee=author),
        "is_pinned": found.is_own and is_pinned(author=author, post_id=found.id),
        "delivery": delivery_progress(post_id=post_id, viewer=viewer),
    }
    return render(request, "feed/post.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def publish_post(request: HttpRequest) -> HttpResponse:
    author = signed_in_user(request).pk
    kind = _kind(request)
    if request.method != "POST":
        form = PostForm(initial=request.session.get(REDRAFT), owner=author, kind=kind)
        return render(request, "feed/composer.html", {"form": form, "kinds": _written()})
    form = PostForm(request.POST, request.FILES, owner=author, kind=kind)
    is_valid = form.is_valid()
    refusal = form.try_later
    # Also if something is wrong: nobody has to upload a picture twice.
    kept = save_pictures(owner=author, described=form.saved_pictures, uploads=form.new_uploads)
    if is_valid:
        try:
            media = [picture.pk for picture in kept]
            posts.publish_post(author=author, picture_ids=media, **form.cleaned_data)
        except CannotPublish as error:
            form.add_error("text", str(error))
        except RateLimited as error:
            form.add_error("text", str(error))
            refusal = error
        except CannotAttach as error:
            form.add_error("pictures", str(error))
        else:
            request.session.pop(REDRAFT, None)
            messages.success(request, _("Your post is out."), extra_tags=f"{author}:post")
            return redirect("home")
    form.set_pictures([picture for picture in kept if picture.post is None])
    context = {"form": form, "kinds": _written()}
    response = render(request, "feed/composer.html", context, status=422)
    return with_retry_after(response, refusal) if refusal else response


def _written() -> list[Activity]:
    return [kind for kind in home_kinds() if kind.is_written]


def _kind(request: HttpRequest) -> str:
    """What is written: what the address or the form says, if people here write that."""
    kind = request.POST.get("kind") or request.GET.get("kind") or "note"
    if kind != _written_or_note(kind):
        raise Http404("Nothing of this kind is written here.")
    return kind


def _written_or_note(kind: str) -> str:
    return kind if kind in {one.name for one in _written()} else "note"


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_post(request: HttpRequest, post_id: int) -> HttpResponse:
    found = visible_post(post_id=post_id, viewer=signed_in_user(request).pk)
    if not found.can_edit:
        raise Http404("No such post.")
    is_text_required = not (found.media or activity_kind(found.kind).fields)
    if request.method != "POST":
        shown = {
            "text": found.text,
            "content_warning": found.content_warning,
            "reply_policy": found.reply_policy,
        }
        form = PostEditForm(initial=shown, requires_text=is_text_required)
        return render(request, "feed/post_edit.html", {"post": found, "form": form})
    form = PostEditForm(
        request.POST, initial={"reply_policy": found.reply_policy}, requires_text=is_text_required
    )
    if form.is_valid():
        try:
            posts.edit_post(post_id=found.id, actor=signed_in_user(request), **form.cleaned_data)
        except CannotPublish as refusal:
            form.add_error("text", str(refusal))
        else:
            messages.success(request, _("Your changes are saved."))
            return redirect(found.url)
    return render(request, "feed/post_edit.html", {"post": found, "form": form}, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in_user(request)
    found = visible_post(post_id=post_id, viewer=user.pk)
    if not (found.is_own or user.has_perm("feed.delete_post")):
        raise Http404("No such post.")
    if request.method == "POST":
        is_redraft = found.is_own and "redraft" in request.POST
        posts.delete_post(post_id=found.id, actor=user, should_keep_pictures=is_redraft)
        if is_redraft:
            kept = ("text", "visibility", "reply_policy", "content_warning")
            request.session[REDRAFT] = {
                **found.details,
                **{name: getattr(found, name) for name in kept},
                "media": [picture.id for picture in found.media],
            }
            messages.success(request, _("The post is deleted. Here are its words again."))
            return redirect(f"{reverse('publish_post')}?kind={_written_or_note(found.kind)}")
        messages.success(request, _("The post is deleted."))
        return redirect("home")
    return render(request, "feed/post_delete.html", {"post": found})
