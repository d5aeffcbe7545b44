"""Lists of users, in pages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.infra.cursors import page_bounds
from accounts.selectors.profiles import get_card_or_404
from accounts.selectors.user_pages import (
    PAGE_SIZE,
    UserPage,
    followers_page,
    following_page,
)
from accounts.viewer import viewer_id


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
