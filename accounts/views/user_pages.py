"""Lists of users, in pages, and forms to accept and reject follow requests."""

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.infra.cursors import page_bounds
from accounts.selectors.profiles import get_card_or_404
from accounts.selectors.user_pages import (
    PAGE_SIZE,
    UserPage,
    follow_requests_page,
    followers_page,
    following_page,
)
from accounts.services import follow_requests as follow_requests_service
from accounts.user_cards import card_from_user
from accounts.viewer import next_url, signed_in_user, viewer_id


@require_safe
def followers(request: HttpRequest, username: str) -> HttpResponse:
    person = get_card_or_404(username=username)
    page = followers_page(
        uid=person.uid,
        viewer=viewer_id(request),
        bounds=page_bounds(request, limit=PAGE_SIZE),
    )
    title = _("Followers of %(name)s") % {"name": person.display_name}
    return user_page_response(request, page, kind="followers", title=title, person=person)


@require_safe
def following(request: HttpRequest, username: str) -> HttpResponse:
    person = get_card_or_404(username=username)
    page = following_page(
        uid=person.uid,
        viewer=viewer_id(request),
        bounds=page_bounds(request, limit=PAGE_SIZE),
    )
    title = _("Followed by %(name)s") % {"name": person.display_name}
    return user_page_response(request, page, kind="following", title=title, person=person)


def user_page_response(request: HttpRequest, page: UserPage, **context: object) -> HttpResponse:
    """Render a list of users.

    ``context`` must contain ``kind`` (which list) and ``title``, and ``person`` (the owner) if the list has
    an owner.
    """
    return render(
        request,
        "accounts/user_page.html",
        {"people": page.rows, "older": page.older_cursor, "newer": page.newer_cursor, **context},
    )


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
