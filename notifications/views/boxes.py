"""Forms on the notifications page: read, unread, dismiss, clear, accept, restore."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.viewer import is_htmx, next_url, signed_in_user
from notifications.forms import NotificationIdsForm
from notifications.services import boxes
from notifications.store import boxes as box_store
from notifications.store import dismissals


@require_POST
def mark_read(request: HttpRequest) -> HttpResponse:
    return _change(request, boxes.mark_read)


@require_POST
def mark_unread(request: HttpRequest) -> HttpResponse:
    return _change(request, partial(box_store.mark, is_read=False))


@require_POST
def mark_seen(request: HttpRequest) -> HttpResponse:
    """Mark notifications as seen after a script reports that they were on screen.

    Responses to htmx contain the updated badge.
    """
    response = _change(request, boxes.mark_seen)
    if is_htmx(request) and request.user.is_authenticated:
        return render(request, "notifications/_badge.html", {"is_swapped": True})
    return response


@require_POST
def dismiss(request: HttpRequest) -> HttpResponse:
    return _change(request, boxes.dismiss)


@require_POST
def clear(request: HttpRequest) -> HttpResponse:
    return _change(request, boxes.clear)


@require_POST
def accept_filtered(request: HttpRequest) -> HttpResponse:
    return _change(request, box_store.accept_filtered)


@require_POST
def restore(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("notifications"))
    if not dismissals.restore(recipient=signed_in_user(request).pk):
        messages.info(request, _("These notifications can no longer be restored."))
    return redirect(next_url(request, default="notifications"))


def _change(request: HttpRequest, change: Callable[..., Any]) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("notifications"))
    form = NotificationIdsForm(request.POST)
    if form.is_valid():
        change(recipient=signed_in_user(request).pk, ids=form.cleaned_data["ids"])
    else:
        messages.error(request, _("Something went wrong. Please try again."))
    return redirect(next_url(request, default="notifications"))
