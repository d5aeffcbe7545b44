"""Pages to list, edit, schedule, publish and delete drafts."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.infra.cursors import cursor_param
from accounts.infra.refusals import Refused
from accounts.models import User
from accounts.viewer import signed_in_user
from feed.forms.posts import PostForm, initial_values, unreached_message
from feed.selectors.drafts import draft_view, drafts_page, own_draft
from feed.selectors.post_view import PostView
from feed.services import drafts as services
from feed.services.drafts import DraftChanged
from feed.services.posts import mentioned_without_access
from feed.store.drafts import Draft

from . import composer
from .composer import post_or_reason, quoted_post
from .reply_drafts import edit_reply_draft


@require_safe
@login_required
def show_drafts(request: HttpRequest, *, is_scheduled: bool = False) -> HttpResponse:
    page = drafts_page(
        owner=signed_in_user(request).pk,
        is_scheduled=is_scheduled,
        offset=cursor_param(request, "offset") or 0,
    )
    return render(request, "feed/drafts.html", {"page": page, "is_scheduled": is_scheduled})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_draft(request: HttpRequest, draft_id: int) -> HttpResponse:
    """Change a draft or scheduled post, schedule it, or publish it now."""
    user = signed_in_user(request)
    draft = own_draft(owner=user.pk, draft_id=draft_id)
    if draft.reply_to_id:
        return edit_reply_draft(request, draft)
    initial = {
        **initial_values(draft.content),
        "publish_at": draft.due_at,
        "is_media_sensitive": user.has_sensitive_media,
    }
    if request.method != "POST":
        quoted, quote_error = _quoted_post(draft)
        if quote_error:
            messages.error(request, quote_error)
        form = PostForm(initial=initial, owner=user, kind=draft.content.kind)
        context = {"form": form, "saved_draft": draft, "quoted": quoted}
        return render(request, "feed/composer.html", context)
    quoted, quote_error = quoted_post(request)
    return composer.submit(
        request,
        PostForm(request.POST, request.FILES, initial=initial, owner=user, kind=draft.content.kind),
        quoted=quoted,
        quote_error=quote_error,
        context={"saved_draft": draft, "quoted": quoted},
        draft=draft,
    )


@require_POST
@login_required
def publish_draft(request: HttpRequest, draft_id: int) -> HttpResponse:
    user = signed_in_user(request)
    try:
        draft = own_draft(owner=user.pk, draft_id=draft_id)
    except Http404:
        if services.published_id(author=user.pk, draft_id=draft_id) is None:
            raise
        return redirect("home")  # a second click
    if _lacks_required_descriptions(user, draft):
        messages.error(
            request, _("Describe your pictures first. You chose this under Settings, Privacy.")
        )
        return redirect("edit_draft", draft.id)
    unreached_names = mentioned_without_access(
        author=user.pk,
        text=draft.content.text,
        visibility=draft.content.audience.visibility,
    )
    if unreached_names and "confirm_unreached" not in request.POST:
        context = {"draft": draft_view(draft=draft), "message": unreached_message(unreached_names)}
        return render(request, "feed/draft_publish.html", context, status=422)
    try:
        return composer.publish_draft(request, draft)
    except Refused as error:
        messages.error(request, str(error))
        if isinstance(error, DraftChanged):
            return redirect("drafts")
        return redirect("edit_draft", draft.id)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_draft(request: HttpRequest, draft_id: int) -> HttpResponse:
    draft = own_draft(owner=signed_in_user(request).pk, draft_id=draft_id)
    name = "drafts" if draft.due_at is None else "scheduled_posts"
    if request.method == "POST":
        try:
            services.delete_draft(draft=draft)
        except DraftChanged as error:
            messages.error(request, str(error))
        else:
            is_scheduled = draft.due_at is not None
            done = _("Scheduled post deleted.") if is_scheduled else _("Draft deleted.")
            messages.success(request, done)
        return redirect(name)
    context = {"draft": draft_view(draft=draft), "list_name": name}
    return render(request, "feed/draft_delete.html", context)


def _quoted_post(draft: Draft) -> tuple[PostView | None, str]:
    """Return the post that the draft quotes, or the reason why its author cannot quote it any more."""
    post_id = draft.content.quoted_id
    return post_or_reason(post_id=post_id, author=draft.owner) if post_id else (None, "")


def _lacks_required_descriptions(user: User, draft: Draft) -> bool:
    if user.description_reminder != User.DescriptionReminder.REQUIRE:
        return False
    return not all(picture.alt for picture in draft_view(draft=draft).pictures)
