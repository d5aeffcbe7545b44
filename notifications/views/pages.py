"""The notifications page, the filtered notifications, and the history."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.infra.cursors import cursor_param
from accounts.viewer import signed_in_user
from notifications.kinds import find_kind
from notifications.selectors.pages import history_page, notifications_page
from notifications.selectors.read_state import (
    messages_badge,
    new_notifications_texts,
    unread_badge,
)
from notifications.services.boxes import mark_seen


@require_safe
@login_required
def notifications(request: HttpRequest) -> HttpResponse:
    viewer = signed_in_user(request).pk
    kind_name = request.GET.get("kind", "")
    if kind_name and find_kind(kind_name) is None:
        raise Http404("No such kind.")
    page = notifications_page(viewer=viewer, kind_name=kind_name)
    if page.hidden_ids:
        # The user cannot mark hidden rows as read, because no page shows them.
        mark_seen(recipient=viewer, ids=page.hidden_ids)
    # ``page`` contains the unread counts, so the badges in the navigation need no query.
    unread = unread_badge(count=page.unread_count - len(page.hidden_ids))
    context = {
        "page": page,
        "selected_kind": kind_name,
        "unread": unread,
        "new_notifications_texts": new_notifications_texts(),
        "unread_messages": messages_badge(count=page.unread_conversations),
    }
    return render(request, "notifications/notifications.html", context)


@require_safe
@login_required
def filtered(request: HttpRequest) -> HttpResponse:
    page = notifications_page(viewer=signed_in_user(request).pk, is_filtered=True)
    return render(request, "notifications/filtered.html", {"page": page})


@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    page = history_page(
        viewer=signed_in_user(request).pk, before_seq=cursor_param(request, "before")
    )
    return render(request, "notifications/history.html", {"page": page})
