"""Forms on the page of notifications: read, unread again, dismissed, cleared, let through, and undone."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.viewer import signed_in, way_back
from notifications import services
from notifications.forms import IdsForm


@require_POST
def read(request: HttpRequest) -> HttpResponse:
    return _change(request, services.mark_read)


@require_POST
def unread(request: HttpRequest) -> HttpResponse:
    return _change(request, services.mark_unread)


@require_POST
def seen(request: HttpRequest) -> HttpResponse:
    """What a script says of a page that was looked at; answers with the badge as it is now."""
    answer = _change(request, services.mark_seen)
    if getattr(request, "htmx", False) and request.user.is_authenticated:
        return render(request, "notifications/_badge.html", {"is_swapped": True})
    return answer


@require_POST
def dismiss(request: HttpRequest) -> HttpResponse:
    return _change(request, services.dismiss)


@require_POST
def clear(request: HttpRequest) -> HttpResponse:
    return _change(request, services.clear)


@require_POST
def let_through(request: HttpRequest) -> HttpResponse:
    return _change(request, services.let_through)


@require_POST
def restore(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("notifications"))
    if not services.restore(reader=signed_in(request).pk):
        messages.info(request, _("There is nothing to bring back any more."))
    return redirect(way_back(request, default="notifications"))


def _change(request: HttpRequest, change: Callable[..., Any]) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("notifications"))
    form = IdsForm(request.POST)
    if form.is_valid():
        change(reader=signed_in(request).pk, ids=form.cleaned_data["ids"])
    else:
        messages.error(request, _("That did not work. Please try again."))
    return redirect(way_back(request, default="notifications"))
