"""The notifications page with its forms, the filtered notifications, and the history."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.infra.cursors import cursor_param
from accounts.viewer import is_htmx, next_url, signed_in_user
from notifications.forms import NotificationIdsForm
from notifications.kinds import find_kind
from notifications.selectors.pages import history_page, notifications_page
from notifications.selectors.read_state import (
    messages_badge,
    new_notifications_texts,
    unread_badge,
)
from notifications.services import boxes as box_services
from notifications.store import boxes, dismissals


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
        box_services.mark_seen(recipient=viewer, ids=page.hidden_ids)
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


def _change(request: HttpRequest, change: Callable[..., Any]) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("notifications"))
    form = NotificationIdsForm(request.POST)
    if form.is_valid():
        change(recipient=signed_in_user(request).pk, ids=form.cleaned_data["ids"])
    else:
        messages.error(request, _("Something went wrong. Please try again."))
    return redirect(next_url(request, default="notifications"))


def _change_view(change: Callable[..., Any]) -> Callable[[HttpRequest], HttpResponse]:
    """Return the view of a form with notification ids."""

    @require_POST
    def view(request: HttpRequest) -> HttpResponse:
        return _change(request, change)

    return view


mark_read = _change_view(box_services.mark_read)
mark_unread = _change_view(partial(boxes.mark, is_read=False))
dismiss = _change_view(box_services.dismiss)
clear = _change_view(box_services.clear)
accept_filtered = _change_view(boxes.accept_filtered)


@require_POST
def mark_seen(request: HttpRequest) -> HttpResponse:
    """Mark notifications as seen after a script reports that they were on screen.

    Responses to htmx contain the updated badge.
    """
    response = _change(request, box_services.mark_seen)
    if is_htmx(request) and request.user.is_authenticated:
        return render(request, "notifications/_badge.html", {"is_swapped": True})
    return response


@require_POST
def restore(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("notifications"))
    if not dismissals.restore(recipient=signed_in_user(request).pk):
        messages.info(request, _("These notifications can no longer be restored."))
    return redirect(next_url(request, default="notifications"))
