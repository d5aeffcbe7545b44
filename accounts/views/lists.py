"""Lists of people, page by page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import selectors
from accounts.paging import cursor
from accounts.viewer import viewer_id

SUGGESTED = 5


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    viewer = viewer_id(request)
    max_id, min_id = cursor(request, "max_id"), cursor(request, "min_id")
    page = selectors.newest_people_page(viewer=viewer, max_id=max_id, min_id=min_id)
    suggestions: tuple[selectors.Suggestion, ...] = ()
    if viewer is not None and max_id is None and min_id is None:
        suggestions = selectors.suggested_people(viewer=viewer, limit=SUGGESTED)
    return people_response(
        request,
        page,
        kind="people",
        title=_("People"),
        person=None,
        suggestions=suggestions,
    )


@require_safe
def followers(request: HttpRequest, username: str) -> HttpResponse:
    person = selectors.person(username=username)
    page = selectors.followers_page(
        uid=person.uid,
        viewer=viewer_id(request),
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
    title = _("Followers of %(name)s") % {"name": person.display_name}
    return people_response(request, page, kind="followers", title=title, person=person)


@require_safe
def following(request: HttpRequest, username: str) -> HttpResponse:
    person = selectors.person(username=username)
    page = selectors.following_page(
        uid=person.uid,
        viewer=viewer_id(request),
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
    title = _("Followed by %(name)s") % {"name": person.display_name}
    return people_response(request, page, kind="following", title=title, person=person)


def people_response(
    request: HttpRequest, page: selectors.PeoplePage, **context: object
) -> HttpResponse:
    """``kind`` says which list it is, ``title`` is its heading, ``person`` is whose it is, if anybody's."""
    return render(
        request,
        "accounts/people.html",
        {"people": page.people, "older": page.older, "newer": page.newer, **context},
    )
