"""The search page for users, posts and hashtags, suggestions while writing, and the sidebar."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.infra import rate_limits
from accounts.infra.client_address import client_network
from accounts.infra.cursors import PageBounds, cursor_param, parse_id
from accounts.selectors.user_search import search_users, suggested_mentions
from accounts.viewer import is_htmx, viewer_id
from feed.activities import kinds_with_fields
from feed.forms.lists_and_filters import SearchForm
from feed.selectors.people import suggested_people
from feed.selectors.search import search_posts
from feed.selectors.search_query import SearchQuery, parse_query
from feed.selectors.tags import MAX_MATCHES, tags_with_prefix, trending_tags
from feed.services.view_counts import sign_shown_posts

SIDEBAR_USERS, SIDEBAR_TAGS = 3, 5
SIDEBAR_SECONDS = 60
"""How long a browser keeps a sidebar."""

BEST_USERS, BEST_TAGS, BEST_POSTS = 5, 5, 10
"""Number of results of each kind on the page with all kinds."""

USERS_ON_PAGE = 20
SUGGESTIONS = 8
SIGNS_OF_USERS, SIGNS_OF_TAGS = ("@", "\uff20"), ("#", "\uff03")


@require_safe
def show_search(request: HttpRequest) -> HttpResponse:
    form = SearchForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    context: dict[str, Any] = {"form": form, "search_text": text, "people": (), "tags": []}
    context["kinds"] = kinds_with_fields()
    if text:
        _count(request)
        context |= _results(request, text)
    else:
        context["trends"] = trending_tags()
    is_next_part = is_htmx(request) and "max_id" in request.GET and "page" in context
    template = "feed/_timeline_items.html" if is_next_part else "feed/search.html"
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def suggest_completions(request: HttpRequest) -> HttpResponse:
    """Render the options that complete "@al" or "#ga" while the viewer writes. A script requests them."""
    viewer = viewer_id(request)
    if viewer is None:
        return HttpResponseForbidden()
    rate_limits.count_action(action="completion", subject=viewer)
    text = request.GET.get("q", "")[: SearchForm.MAX_LENGTH]
    context: dict[str, Any] = {}
    if text.startswith(SIGNS_OF_USERS):
        context["users"] = suggested_mentions(text=text[1:], viewer=viewer, limit=SUGGESTIONS)
    elif text.startswith(SIGNS_OF_TAGS):
        context["tags"] = tags_with_prefix(prefix=text[1:], viewer=viewer)[:SUGGESTIONS]
    return render(request, "feed/_completions.html", context)


@require_safe
@vary_on_headers("HX-Request")
@cache_control(private=True, max_age=SIDEBAR_SECONDS)
def show_sidebar(request: HttpRequest) -> HttpResponse:
    """Render the sidebar. A script requests the sidebar after the page, if the window is wide enough.

    Without htmx, redirect to the page of suggested users. With ``?people=0``, because the page itself
    suggests people, the sidebar has only hashtags. The browser keeps the sidebar for a minute, or until the
    viewer changes something: then the script adds another ``?after=`` to the URL.
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


def _results(request: HttpRequest, text: str) -> dict[str, Any]:
    """Return the template context with the results of the requested kind, or the best of all kinds."""
    query = parse_query(text)
    kind = request.GET.get("type", "")
    if kind == "people":
        return {"kind": kind, **_people(request, text, USERS_ON_PAGE)}
    if kind == "tags":
        return {"kind": kind, **_tags(request, text)}
    if kind == "posts":
        return {"kind": kind, **_posts(request, query, text, settings.FEED_PAGE_SIZE)}
    results: dict[str, Any] = {"kind": ""}
    if not query.is_for_posts and not text.startswith(SIGNS_OF_TAGS):
        results |= _people(request, text, BEST_USERS)
    if not query.is_for_posts and not text.startswith(SIGNS_OF_USERS):
        results |= _tags(request, text, BEST_TAGS)
    if not text.startswith(SIGNS_OF_USERS):
        results |= _posts(request, query, text, BEST_POSTS)
    return results


def _people(request: HttpRequest, text: str, limit: int) -> dict[str, Any]:
    offset = parse_id(request.GET.get("offset", "")) or 0
    page = search_users(text=text, viewer=viewer_id(request), limit=limit, offset=offset)
    return {"people": page.rows, "next_offset": page.next_offset}


def _tags(request: HttpRequest, text: str, limit: int | None = None) -> dict[str, Any]:
    tags = tags_with_prefix(prefix=text, viewer=viewer_id(request))
    return {"tags": tags[:limit], "has_more_tags": len(tags) > (limit or MAX_MATCHES - 1)}


def _posts(request: HttpRequest, query: SearchQuery, text: str, limit: int) -> dict[str, Any]:
    page, problems = search_posts(
        query=query,
        viewer=viewer_id(request),
        bounds=PageBounds(limit=limit, max_id=cursor_param(request, "max_id")),
    )
    return {
        "page": page,
        "shown_token": sign_shown_posts(viewer=viewer_id(request), posts=page.posts),
        "is_by_one_author": bool(query.author),
        "problems": problems,
        "query": urlencode({"q": text, "type": "posts"}) + "&",
    }
