"""Pages and forms of conversations: direct posts with their comments."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.infra.cursors import cursor_param, page_bounds, parse_id
from accounts.request_guards import RefusalsIn, form_page
from accounts.viewer import signed_in_user
from feed.forms.comments import CommentForm
from feed.forms.text import IdempotentForm, RecipientForm
from feed.models import Post
from feed.post_content import Audience, PostContent
from feed.selectors.messages import (
    PAGE_SIZE,
    conversation,
    conversations_page,
    hidden_conversations,
    messages_page,
)
from feed.services import conversations, posts


@require_safe
@login_required
def show_conversations(request: HttpRequest) -> HttpResponse:
    viewer = signed_in_user(request).pk
    page = conversations_page(viewer=viewer, bounds=page_bounds(request, limit=PAGE_SIZE))
    if page.unread_elsewhere:
        # The user cannot read conversations that no page shows, so these must not count as unread.
        for post_id in hidden_conversations(post_ids=page.unread_elsewhere, viewer=viewer):
            conversations.mark_read(post_id=post_id, reader=viewer)
    return render(request, "feed/conversations.html", {"page": page})


@require_safe
@login_required
def show_conversation(request: HttpRequest, post_id: int) -> HttpResponse:
    viewer = signed_in_user(request).pk
    # Mark the messages as read before reading them. A message that arrives in between stays unread.
    conversations.mark_read(post_id=post_id, reader=viewer)
    page = messages_page(
        post_id=post_id,
        viewer=viewer,
        after=cursor_param(request, "after"),
        before=cursor_param(request, "before"),
        around=cursor_param(request, "at"),
    )
    form = CommentForm(post=page.post) if page.post.can_comment else None
    context = {"page": page, "post": page.post, "form": form}
    return render(request, "feed/conversation.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def start_conversation(request: HttpRequest) -> HttpResponse:
    """Choose the recipient, write the first message, and publish it."""
    author = signed_in_user(request).pk
    if "to" not in request.GET:
        context = {"form": RecipientForm(sender=author)}
        status = 422 if request.method == "POST" else 200
        return render(request, "feed/conversation_recipient.html", context, status=status)
    recipient = RecipientForm(request.GET, sender=author)
    if not recipient.is_valid():
        return form_page(request, "feed/conversation_recipient.html", recipient)
    username = recipient.cleaned_data["to"]
    form = IdempotentForm(
        request.POST if request.method == "POST" else None, initial={"text": f"@{username} "}
    )
    if form.is_valid():
        audience = Audience(visibility=Post.Visibility.DIRECT)
        with RefusalsIn(form, "text"):
            post_id = posts.publish_post(
                author=author,
                content=PostContent(text=form.cleaned_data["text"], audience=audience),
                idempotency_key=form.cleaned_data["idempotency_key"],
            )
            draft = f"{author}:message:{username}"
            messages.success(request, _("Message sent."), extra_tags=draft)
            return redirect("conversation", post_id)
    return form_page(request, "feed/conversation_new.html", form, username=username)


@require_POST
@login_required
def mark_conversation_unread(request: HttpRequest, post_id: int) -> HttpResponse:
    viewer = signed_in_user(request).pk
    view = conversation(post_id=post_id, viewer=viewer)
    conversations.mark_unread(post_id=post_id, reader=viewer, message_id=view.last_id)
    return redirect("conversations")


@require_POST
@login_required
def hide_conversation(request: HttpRequest, post_id: int) -> HttpResponse:
    viewer = signed_in_user(request).pk
    conversation(post_id=post_id, viewer=viewer)
    newest_id = parse_id(request.POST.get("newest", ""))
    if newest_id is None:
        messages.error(request, _("Something went wrong. Please try again."))
    elif conversations.hide_conversation(post_id=post_id, reader=viewer, newest_id=newest_id):
        messages.success(request, _("Conversation hidden until the next message."))
        return redirect("conversations")
    else:
        messages.error(request, _("This conversation has a new message, so it was not hidden."))
    return redirect("conversation", post_id)
