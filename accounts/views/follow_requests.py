"""The list of follow requests, and forms to accept and reject them."""

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.infra.cursors import page_bounds
from accounts.selectors.profiles import get_card_or_404
from accounts.selectors.user_pages import PAGE_SIZE, follow_requests_page
from accounts.services import follow_requests as follow_requests_service
from accounts.user_cards import card_from_user
from accounts.viewer import next_url, signed_in_user

from .user_pages import user_page_response


@require_safe
@login_required
def follow_requests(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    page = follow_requests_page(
        uid=user.pk,
        bounds=page_bounds(request, limit=PAGE_SIZE),
    )
    title = _("Follow requests")
    return user_page_response(
        request, page, kind="requests", title=title, person=card_from_user(user=user)
    )


@require_POST
def accept_follow_request(request: HttpRequest, username: str) -> HttpResponse:
    return _answer_request(request, username, follow_requests_service.accept_follow_request)


@require_POST
def reject_follow_request(request: HttpRequest, username: str) -> HttpResponse:
    return _answer_request(request, username, follow_requests_service.reject_follow_request)


def _answer_request(
    request: HttpRequest, username: str, answer: Callable[..., bool]
) -> HttpResponse:
    # A request that no longer exists is not an error, because the list shows the current state.
    person = get_card_or_404(username=username)
    if not request.user.is_authenticated:
        return redirect_to_login(resolve_url("follow_requests"))
    answer(followee=signed_in_user(request).pk, follower=person.uid)
    return HttpResponseRedirect(next_url(request, default=resolve_url("follow_requests")))
