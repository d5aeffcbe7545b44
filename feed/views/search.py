"""The search page for users, posts and hashtags, and the sidebar with suggestions."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from accounts.infra import rate_limits
from accounts.infra.client_address import client_network
from accounts.infra.cursors import PageBounds, cursor_param
from accounts.selectors.user_search import MAX_MATCHES, search_users
from accounts.viewer import is_htmx, viewer_id
from feed.forms import SearchForm
from feed.selectors.lists import post_search_page
from feed.selectors.people import suggested_people
from feed.selectors.tags import tags_with_prefix, trending_tags
from feed.text.phrases import phrases_in

SIDEBAR_USERS, SIDEBAR_TAGS = 3, 5
TYPE_BY_SIGN = {"@": "people", "\uff20": "people", "#": "tags", "\uff03": "tags"}


@require_safe
def show_search(request: HttpRequest) -> HttpResponse:
    form = SearchForm(request.GET)
    query = form.cleaned_data["q"] if form.is_valid() else ""
    context: dict[str, Any] = {"form": form, "search_text": query}
    if query:
        _count(request)
        context |= _results(request, query)
    else:
        context["trends"] = trending_tags()
    is_next_part = is_htmx(request) and "max_id" in request.GET and "page" in context
    template = "feed/_timeline_items.html" if is_next_part else "feed/search.html"
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def show_sidebar(request: HttpRequest) -> HttpResponse:
    """Render the sidebar. A script requests the sidebar after the page, if the window is wide enough.

    Without htmx, redirect to the page of suggested users. With ``?people=0``, because the page itself
    suggests people, the sidebar has only hashtags.
    """
    if not is_htmx(request):
        return redirect("people")
    viewer = viewer_id(request)
    has_people = viewer is not None and request.GET.get("people") != "0"
    context = {
        "has_people": has_people,
        "suggestions": suggested_people(viewer=viewer, limit=SIDEBAR_USERS) if has_people else (),
        "trends": trending_tags(limit=SIDEBAR_TAGS),
    }
    return render(request, "feed/_sidebar.html", context)


def _count(request: HttpRequest) -> None:
    viewer = viewer_id(request)
    action = "visitor_search" if viewer is None else "search"
    rate_limits.count_action(action=action, subject=viewer or client_network(request))


def _results(request: HttpRequest, query: str) -> dict[str, Any]:
    """Return the template context with the results of the requested kind.

    A query can request a kind by its first character, such as "@". If no kind is requested, return the
    results of the first kind with results. The value ``kind`` is "people", "posts" or "tags", or "" if no
    kind is requested or has results.
    """
    searches = {"people": _people, "posts": _posts, "tags": _tags}
    kind = request.GET.get("type", "")
    if kind not in searches:
        kind = TYPE_BY_SIGN.get(query[:1], "")
    if kind:
        return {"kind": kind, **searches[kind](request, query)}
    for kind in searches:
        results = searches[kind](request, query)
        page = results.get("page")
        if (
            results.get("people")
            or results.get("tags")
            or (page and (page.posts or page.older_cursor))
        ):
            return {"kind": kind, **results}
    return {"kind": ""}


def _people(request: HttpRequest, query: str) -> dict[str, Any]:
    users = search_users(text=query, viewer=viewer_id(request))
    return {"people": users, "has_more": len(users) >= MAX_MATCHES}


def _tags(request: HttpRequest, query: str) -> dict[str, Any]:
    return {"tags": tags_with_prefix(prefix=query, viewer=viewer_id(request))}


def _posts(request: HttpRequest, query: str) -> dict[str, Any]:
    phrases = phrases_in(query)
    if not phrases:
        return {}
    page = post_search_page(
        phrases=phrases,
        viewer=viewer_id(request),
        bounds=PageBounds(limit=settings.FEED_PAGE_SIZE, max_id=cursor_param(request, "max_id")),
    )
    return {"page": page, "query": urlencode({"q": query, "type": "posts"}) + "&"}
