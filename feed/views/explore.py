"""The tabs of Explore: the posts, hashtags, people and links that are active now, for visitors too.

The tab "Newest" is ``timelines.show_public``.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.infra.cursors import page_bounds
from accounts.selectors.suggestions import Suggestion
from accounts.selectors.user_pages import PAGE_SIZE, newest_users_page
from accounts.viewer import viewer_id
from feed.selectors.people import MAX_SUGGESTIONS, suggested_people
from feed.selectors.tags import active_tags, followed_tags, trending_tags
from feed.selectors.timeline_pages import TimelinePage
from feed.selectors.trends import trending_links, trending_posts


@require_safe
def show_posts(request: HttpRequest) -> HttpResponse:
    posts = trending_posts(viewer=viewer_id(request), limit=settings.FEED_PAGE_SIZE)
    page = TimelinePage(posts=posts, older_cursor=None, newer_cursor=None)
    return render(request, "feed/explore.html", {"page": page})


@require_safe
def show_tags(request: HttpRequest) -> HttpResponse:
    viewer = viewer_id(request)
    trends = trending_tags()
    trending = {trend.tag for trend in trends}
    context = {
        "trends": trends,
        "active_tags": [tag for tag in active_tags() if tag.tag not in trending],
        "followed_tags": [] if viewer is None else followed_tags(viewer=viewer),
    }
    return render(request, "feed/tags.html", context)


@require_safe
def show_people(request: HttpRequest) -> HttpResponse:
    viewer = viewer_id(request)
    bounds = page_bounds(request, limit=PAGE_SIZE)
    page = newest_users_page(viewer=viewer, bounds=bounds)
    suggestions: tuple[Suggestion, ...] = ()
    if bounds.is_first:
        suggestions = suggested_people(viewer=viewer, limit=MAX_SUGGESTIONS)
    context = {
        "people": page.rows,
        "older": page.older_cursor,
        "newer": page.newer_cursor,
        "suggestions": suggestions,
    }
    return render(request, "feed/people.html", context)


@require_safe
def show_links(request: HttpRequest) -> HttpResponse:
    links = trending_links(viewer=viewer_id(request))
    return render(request, "feed/trending_links.html", {"links": links})
