"""Who waits to be let in, and the two answers."""

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts import selectors, services
from accounts.paging import cursor
from accounts.user_cards import card_of
from accounts.viewer import signed_in, way_back

from .lists import people_response


@require_safe
@login_required
def requests(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    page = selectors.follow_requests_page(
        uid=user.pk,
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
    title = _("Follow requests")
    return people_response(request, page, kind="requests", title=title, person=card_of(user=user))


@require_POST
def accept_request(request: HttpRequest, username: str) -> HttpResponse:
    return _answer(request, username, services.accept_request)


@require_POST
def refuse_request(request: HttpRequest, username: str) -> HttpResponse:
    return _answer(request, username, services.refuse_request)


def _answer(request: HttpRequest, username: str, answer: Callable[..., bool]) -> HttpResponse:
    # To answer what is not asked any more is no mistake: the list shows how it is now.
    person = selectors.person(username=username)
    if not request.user.is_authenticated:
        return redirect_to_login(resolve_url("requests"))
    answer(followee=signed_in(request).pk, follower=person.uid)
    return HttpResponseRedirect(way_back(request, default=resolve_url("requests")))
