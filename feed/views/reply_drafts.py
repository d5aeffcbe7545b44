"""The page to change, schedule or publish the draft of a comment. ``drafts.edit_draft`` leads to it."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from accounts.request_guards import RefusalsIn, form_page
from feed.forms.comments import ReplyDraftForm
from feed.forms.posts import initial_values
from feed.services import drafts as services
from feed.services.posts import CannotPublish
from feed.services.reply_drafts import reply_target
from feed.store.drafts import Draft


def edit_reply_draft(request: HttpRequest, draft: Draft) -> HttpResponse:
    """Change the text, the content warning and the due time. The readers stay as they were chosen."""
    initial = {**initial_values(draft.content), "publish_at": draft.due_at}
    form = ReplyDraftForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        with RefusalsIn(form, "text", {services.CannotSchedule: "publish_at"}):
            return _save_or_publish(request, form, draft)
    context: dict[str, Any] = {"saved_draft": draft}
    try:
        context["post"], context["parent_comment"] = reply_target(draft=draft)
    except CannotPublish as error:
        context["problem"] = str(error)
    return form_page(request, "feed/reply_draft.html", form, **context)


def _save_or_publish(request: HttpRequest, form: ReplyDraftForm, draft: Draft) -> HttpResponse:
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
    services.publish_draft(draft=changed)
    messages.success(request, _("Comment published."))
    return redirect("home")
