"""What somebody was told: the newest, what is held, and what is older."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.infra.paging import cursor_param
from accounts.viewer import signed_in_user
from notifications.kinds import find_kind
from notifications.selectors.pages import history_page, notifications_page
from notifications.selectors.read_state import unread_badge
from notifications.services.boxes import mark_seen


@require_safe
@login_required
def notifications(request: HttpRequest) -> HttpResponse:
    reader = signed_in_user(request).pk
    chosen = request.GET.get("kind", "")
    if chosen and find_kind(chosen) is None:
        raise Http404("No such kind.")
    page = notifications_page(viewer=reader, kind_name=chosen)
    if page.hidden_ids:
        # They are on no page, so nobody could ever mark them.
        mark_seen(recipient=reader, ids=page.hidden_ids)
    # The header need not ask for what was just read.
    unread = unread_badge(viewer=reader, count=page.unread_count - len(page.hidden_ids))
    context = {"page": page, "chosen": chosen, "unread": unread}
    return render(request, "notifications/notifications.html", context)


@require_safe
@login_required
def filtered(request: HttpRequest) -> HttpResponse:
    page = notifications_page(viewer=signed_in_user(request).pk, is_filtered=True)
    return render(request, "notifications/held.html", {"page": page})


@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    page = history_page(
        viewer=signed_in_user(request).pk, before_seq=cursor_param(request, "before")
    )
    return render(request, "notifications/older.html", {"page": page})
