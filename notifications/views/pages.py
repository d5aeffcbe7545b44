"""What somebody was told: the newest, what is held, and what is older."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.paging import cursor
from accounts.viewer import signed_in
from notifications import selectors, services
from notifications.kinds import kind_of
from notifications.selectors.live import unread_told


@require_safe
@login_required
def notifications(request: HttpRequest) -> HttpResponse:
    reader = signed_in(request).pk
    chosen = request.GET.get("kind", "")
    if chosen and kind_of(chosen) is None:
        raise Http404("No such kind.")
    page = selectors.notifications_page(reader=reader, kind=chosen)
    if page.hidden:
        # They are on no page, so nobody could ever mark them.
        services.mark_seen(reader=reader, ids=page.hidden)
    # The header need not ask for what was just read.
    unread = unread_told(reader=reader, count=page.unread - len(page.hidden))
    context = {"page": page, "chosen": chosen, "unread": unread}
    return render(request, "notifications/notifications.html", context)


@require_safe
@login_required
def held(request: HttpRequest) -> HttpResponse:
    page = selectors.notifications_page(reader=signed_in(request).pk, is_held=True)
    return render(request, "notifications/held.html", {"page": page})


@require_safe
@login_required
def older(request: HttpRequest) -> HttpResponse:
    page = selectors.history_page(reader=signed_in(request).pk, before=cursor(request, "before"))
    return render(request, "notifications/older.html", {"page": page})
