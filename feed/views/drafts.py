"""Pages to list, edit, schedule, publish and delete drafts of posts and comments."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.infra.cursors import cursor_param
from accounts.infra.refusals import Refused
from accounts.models import User
from accounts.request_guards import RefusalsIn, form_page
from accounts.viewer import signed_in_user
from feed.forms.comments import ReplyDraftForm
from feed.forms.posts import initial_values, unreached_message
from feed.selectors.drafts import draft_view, drafts_page, own_draft
from feed.selectors.post_view import PostView
from feed.services import drafts as services
from feed.services.drafts import DraftChanged
from feed.services.posts import CannotPublish, mentioned_without_access
from feed.services.reply_drafts import reply_target
from feed.store.drafts import Draft

from . import composer
from .composer import post_or_reason, quoted_post


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
        return _edit_reply_draft(request, draft)
    initial = {
        **initial_values(draft.content),
        "publish_at": draft.due_at,
        "is_media_sensitive": user.has_sensitive_media,
    }
    is_sent = request.method == "POST"
    quoted, quote_error = quoted_post(request) if is_sent else _quoted_post(draft)
    return composer.compose(
        request,
        initial=initial,
        kind=draft.content.kind,
        quoted=quoted,
        quote_error=quote_error,
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
    requires_descriptions = user.description_reminder == User.DescriptionReminder.REQUIRE
    if requires_descriptions and not all(
        picture.alt for picture in draft_view(draft=draft).pictures
    ):
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


def _edit_reply_draft(request: HttpRequest, draft: Draft) -> HttpResponse:
    """Change the text, the content warning and the due time. The readers stay as they were chosen."""
    initial = {**initial_values(draft.content), "publish_at": draft.due_at}
    form = ReplyDraftForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        with RefusalsIn(form, "text", {services.CannotSchedule: "publish_at"}):
            due_at = form.due_at_of(draft=draft)
            content = replace(
                draft.content,
                text=form.cleaned_data["text"],
                content_warning=form.cleaned_data["content_warning"],
            )
            changed = services.change_draft(draft=draft, due_at=due_at, content=content)
            if form.is_draft or due_at is not None:
                messages.success(request, _("Changes saved."))
                return redirect("drafts" if due_at is None else "scheduled_posts")
            return composer.publish_draft(request, changed)
    context: dict[str, Any] = {"saved_draft": draft}
    try:
        context["post"], context["parent_comment"] = reply_target(draft=draft)
    except CannotPublish as error:
        context["problem"] = str(error)
    return form_page(request, "feed/reply_draft.html", form, **context)


def _quoted_post(draft: Draft) -> tuple[PostView | None, str]:
    """Return the post that the draft quotes, or the reason why its author cannot quote it any more."""
    post_id = draft.content.quoted_id
    return post_or_reason(post_id=post_id, author=draft.owner) if post_id else (None, "")
