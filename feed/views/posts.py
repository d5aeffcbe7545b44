"""Pages and forms for one post: read, publish, edit, delete, and what it said before."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts import selectors as people
from accounts.guarding import asked_to_wait
from accounts.limits import TooMany
from accounts.paging import cursor
from accounts.viewer import signed_in, viewer_id
from accounts.visitors import visitor_key
from feed import selectors, services
from feed.activities import Activity, activity, distributed
from feed.forms import CommentForm, PostEditForm, PostForm

REDRAFT = "redraft"
"""In the session: what somebody deleted in order to write it again."""


@require_safe
def history(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    found = selectors.post(post_id=post_id, viewer=viewer)
    if found.author.username != username or found.id != post_id:
        return redirect("history", found.author.username, found.id)
    page = selectors.history_page(post=found, viewer=viewer, max_id=cursor(request, "max_id"))
    return render(request, "feed/history.html", {"post": found, "page": page})


@require_safe
def post(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    found = selectors.post(post_id=post_id, viewer=viewer)
    if found.author.username != username or found.id != post_id:
        # An old link, from before the author's rename, or the id of a share.
        return redirect(found.url)
    services.count_views(post_ids=[found.id], visitor=visitor_key(request))
    author = found.author.uid
    is_following = people.follows(follower=viewer, followee=author)
    context = {
        "post": found,
        "page": selectors.comments_page(
            post=found,
            viewer=viewer,
            after=cursor(request, "after"),
            before=cursor(request, "before"),
            from_end="end" in request.GET,
        ),
        "form": CommentForm() if viewer is not None and found.may_answer else None,
        "is_self": found.is_own,
        "is_following": is_following,
        "is_requested": not is_following and people.has_asked(follower=viewer, followee=author),
        "is_pinned": found.is_own and selectors.is_pinned(author=author, post=found.id),
        "delivery": selectors.delivery_progress(post_id=post_id, viewer=viewer),
    }
    return render(request, "feed/post.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def publish(request: HttpRequest) -> HttpResponse:
    author = signed_in(request).pk
    kind = _kind(request)
    if request.method != "POST":
        form = PostForm(initial=request.session.get(REDRAFT), owner=author, kind=kind)
        return render(request, "feed/composer.html", {"form": form, "kinds": _written()})
    form = PostForm(request.POST, request.FILES, owner=author, kind=kind)
    is_valid = form.is_valid()
    refusal = form.refusal
    # Also if something is wrong: nobody has to upload a picture twice.
    kept = services.keep_pictures(owner=author, described=form.described, made=form.made)
    if is_valid:
        try:
            media = [one.pk for one in kept]
            services.publish_post(author=author, media=media, **form.cleaned_data)
        except services.CannotPublish as error:
            form.add_error("text", str(error))
        except TooMany as error:
            form.add_error("text", str(error))
            refusal = error
        except services.CannotAttach as error:
            form.add_error("pictures", str(error))
        else:
            request.session.pop(REDRAFT, None)
            messages.success(request, _("Your post is out."), extra_tags=f"{author}:post")
            return redirect("home")
    form.show([one for one in kept if one.post is None])
    context = {"form": form, "kinds": _written()}
    response = render(request, "feed/composer.html", context, status=422)
    return asked_to_wait(response, refusal) if refusal else response


def _written() -> list[Activity]:
    return [one for one in distributed() if one.is_written]


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
    found = selectors.post(post_id=post_id, viewer=signed_in(request).pk)
    if not found.can_edit:
        raise Http404("No such post.")
    needs_words = not (found.media or activity(found.kind).fields)
    if request.method != "POST":
        shown = {"text": found.text, "warning": found.warning, "replies": found.replies}
        form = PostEditForm(initial=shown, needs_words=needs_words)
        return render(request, "feed/post_edit.html", {"post": found, "form": form})
    form = PostEditForm(request.POST, initial={"replies": found.replies}, needs_words=needs_words)
    if form.is_valid():
        try:
            services.edit_post(post_id=found.id, actor=signed_in(request), **form.cleaned_data)
        except services.CannotPublish as refusal:
            form.add_error("text", str(refusal))
        else:
            messages.success(request, _("Your changes are saved."))
            return redirect(found.url)
    return render(request, "feed/post_edit.html", {"post": found, "form": form}, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in(request)
    found = selectors.post(post_id=post_id, viewer=user.pk)
    if not (found.is_own or user.has_perm("feed.delete_post")):
        raise Http404("No such post.")
    if request.method == "POST":
        is_redraft = found.is_own and "redraft" in request.POST
        services.delete_post(post_id=found.id, actor=user, keeps_pictures=is_redraft)
        if is_redraft:
            kept = ("text", "visibility", "replies", "warning")
            request.session[REDRAFT] = {
                **found.details,
                **{name: getattr(found, name) for name in kept},
                "media": [one.id for one in found.media],
            }
            messages.success(request, _("The post is deleted. Here are its words again."))
            return redirect(f"{reverse('publish')}?kind={_written_or_note(found.kind)}")
        messages.success(request, _("The post is deleted."))
        return redirect("home")
    return render(request, "feed/post_delete.html", {"post": found})
