"""Pages of timelines: home, unread, quiet authors, public, profiles, hashtags, reviews and links.

The tabs of Explore show the posts, hashtags, people and links that are active now, for visitors too. Its
tab "Newest" is ``show_public``.
"""

from dataclasses import fields
from typing import Literal
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.infra.cursors import cursor_param, page_bounds, parse_id
from accounts.selectors.follow_graph import count_followees
from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.suggestions import Suggestion
from accounts.selectors.user_pages import PAGE_SIZE, newest_users_page, user_rows
from accounts.viewer import is_htmx, next_url, signed_in_user, viewer_id
from feed.activities import Review
from feed.forms.posts import ComposerDefaults
from feed.models import MAX_TEXT_LENGTH
from feed.selectors.featured_content import featured_content
from feed.selectors.link_previews import profile_preview
from feed.selectors.people import MAX_SUGGESTIONS, home_suggestions, suggested_people
from feed.selectors.post_pages import attribute_page, profile_page, public_page, quotes_page
from feed.selectors.posts_and_comments import ContentPage, profile_content_page
from feed.selectors.tags import active_tags, followed_tags, trending_tags
from feed.selectors.timeline_pages import TimelinePage
from feed.selectors.trends import trending_links, trending_posts
from feed.selectors.visible_posts import visible_post
from feed.services.view_counts import sign_shown_posts
from feed.text import phrases
from feed.text.languages import base_language, language_choices, language_name
from feed.text.renderer import tag_path
from feed.text.urls import host_of
from feed.timeline.home import advance_home_position, home_page, home_page_oldest_first
from feed.timeline.quiet_authors import quiet_authors_page

from .tags import tag_key_or_404

PROFILE_TABS = ("comments", "pictures", "reviews")
"""The tabs of a profile besides the posts, as the last part of their URLs."""

EMPTY_HOME_POSTS = 5
"""Number of active posts that the home page shows to users who follow nobody."""


@require_safe
def show_home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return _timeline(request, "feed/landing.html", _public_page(request))
    viewer = signed_in_user(request).pk
    page = home_page(
        viewer=viewer,
        bounds=page_bounds(request, limit=settings.FEED_PAGE_SIZE),
        top_id=cursor_param(request, "top"),
    )
    context: dict[str, object] = {"composer_defaults": ComposerDefaults.of(signed_in_user(request))}
    if page.can_suggest:
        context["suggestions"] = home_suggestions(
            viewer=viewer, tags=page.followed_tags, is_home_empty=bool(page.empty_reason)
        )
    if page.empty_reason == "follows_nobody":
        context["active_posts"] = trending_posts(viewer=viewer, limit=EMPTY_HOME_POSTS)
    return _timeline(request, "feed/home.html", page, **context)


@require_safe
@login_required
def show_unread(request: HttpRequest) -> HttpResponse:
    viewer = signed_in_user(request).pk
    page = home_page_oldest_first(
        viewer=viewer,
        limit=settings.FEED_PAGE_SIZE,
        min_id=cursor_param(request, "min_id"),
    )
    # The end of the page says that the viewer is caught up, unless the viewer follows nobody.
    follows_nobody = not page.newer_cursor and not count_followees(follower=viewer, limit=1)
    return render(request, "feed/unread.html", {"page": page, "follows_nobody": follows_nobody})


@require_safe
@login_required
def show_quiet_authors(request: HttpRequest) -> HttpResponse:
    page = quiet_authors_page(
        viewer=signed_in_user(request).pk,
        limit=settings.FEED_PAGE_SIZE,
        offset=cursor_param(request, "after") or 0,
    )
    return render(request, "feed/quiet_authors.html", {"page": page})


@require_POST
def save_home_position(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    position = parse_id(request.POST.get("position", ""))
    if position is None:
        messages.error(
            request, _("Your reading position could not be saved. Reload the page and try again.")
        )
    else:
        advance_home_position(viewer=signed_in_user(request).pk, position=position)
    if is_htmx(request):
        return HttpResponse(status=204)
    return redirect(next_url(request, default="home"))


@require_safe
def show_public(request: HttpRequest) -> HttpResponse:
    language = request.GET.get("language", "")
    if language and base_language(language) != language:
        raise Http404("No such language.")
    return _timeline(
        request,
        "feed/public.html",
        _public_page(request, language),
        language=language,
        language_name=language_name(language),
        languages=language_choices(),
        query=f"{urlencode({'language': language})}&" if language else "",
    )


@require_safe
def show_profile(request: HttpRequest, username: str, tab: str = "posts") -> HttpResponse:
    """Show a profile. ``tab``: "posts" or one of ``PROFILE_TABS``.

    Posts, pictures and reviews cost eight commands, comments twelve, in addition to those of every page.
    Shared posts and mentioned users may cost one or two more.
    """
    viewer = viewer_id(request)
    profile = get_profile_or_404(username=username, viewer=viewer)
    if "@" in username:
        return redirect(request.path.replace(username, profile.user_card.username, 1))
    author, bounds = profile.user_card.uid, page_bounds(request, limit=settings.FEED_PAGE_SIZE)
    context = {field.name: getattr(profile, field.name) for field in fields(profile)}
    context["preview"] = profile_preview(profile=profile) if viewer is None else None
    context |= {"person": context.pop("user_card"), "tab": tab}
    if tab == "comments":
        content_page = ContentPage(contents=(), older_cursor=None, newer_cursor=None)
        if profile.can_view_posts:
            content_page = profile_content_page(
                author=author,
                viewer=viewer,
                bounds=bounds,
                is_following=profile.is_following,
                with_posts=False,
            )
        return render(request, "feed/profile.html", {"page": content_page, **context})
    page = TimelinePage(posts=(), older_cursor=None, newer_cursor=None)
    if not (profile.is_blocking or profile.is_blocked_by):
        page = profile_page(
            author=author,
            viewer=viewer,
            bounds=bounds,
            can_view_posts=profile.can_view_posts,
            is_following=profile.is_following,
            only_with_pictures=tab == "pictures",
            kind=Review.name if tab == "reviews" else "",
        )
    context |= {"pinned": (), "featured_tags": (), "featured_people": ()}
    if tab == "posts" and profile.can_view_posts and bounds.is_first:
        pinned_posts, tags = featured_content(author=author, viewer=viewer)
        people = user_rows(uids=list(profile.featured_uids), viewer=viewer)
        context |= {
            "pinned": pinned_posts,
            "featured_tags": tags,
            "featured_people": [row.card for row in people],
        }
    return _timeline(request, "feed/profile.html", page, **context)


@require_safe
def show_profile_tag(request: HttpRequest, username: str, tag: str) -> HttpResponse:
    viewer = viewer_id(request)
    profile = get_profile_or_404(username=username, viewer=viewer)
    key = tag_key_or_404(tag)
    if key != tag:
        return redirect("profile_tag", username, key)
    if profile.is_blocking or profile.is_blocked_by:
        raise Http404("No posts.")
    page = profile_page(
        author=profile.user_card.uid,
        viewer=viewer,
        bounds=page_bounds(request, limit=settings.FEED_PAGE_SIZE),
        can_view_posts=profile.can_view_posts,
        is_following=profile.is_following,
        tag=key,
    )
    return _timeline(
        request,
        "feed/profile_tag.html",
        page,
        tag=key,
        person=profile.user_card,
        is_private=profile.is_private,
        is_limited=profile.is_limited,
    )


@require_safe
def show_tag(request: HttpRequest, tag: str) -> HttpResponse:
    key = tag_key_or_404(tag)
    if key != tag:
        return redirect(tag_path(tag))
    viewer = viewer_id(request)
    page = _attribute_page(request, "hashtag", key)
    is_following = viewer is not None and key in followed_tags(viewer=viewer)
    return _timeline(request, "feed/tag.html", page, tag=key, is_following=is_following)


@require_safe
def show_reviews(request: HttpRequest) -> HttpResponse:
    """Show the reviews of one item. The query ``?of=book:dune`` names the category and the title."""
    value = phrases.normalize_text(request.GET.get("of", ""))
    reviewed_item, _colon, title = value.partition(":")
    label = dict(Review.ITEMS).get(reviewed_item)
    if label is None or not title or len(value) > MAX_TEXT_LENGTH:
        raise Http404("No such item.")
    page = _attribute_page(request, "item", value)
    if page.posts:
        # The title in the query is normalized, so show the spelling of the newest review.
        title = page.posts[0].row.details["title"]
    context = {"title": title, "item": label, "query": urlencode({"of": value}) + "&"}
    return _timeline(request, "feed/reviews.html", page, **context)


@require_safe
def show_links(request: HttpRequest) -> HttpResponse:
    """Show the posts with links to the host in the query, such as ``?to=example.org``."""
    host = request.GET.get("to", "")
    if not (host.isprintable() and host) or host_of(host) != host or len(host) > MAX_TEXT_LENGTH:
        raise Http404("No such host.")
    page = _attribute_page(request, "host", host)
    return _timeline(
        request, "feed/links.html", page, host=host, query=urlencode({"to": host}) + "&"
    )


@require_safe
def show_quotes(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    post = visible_post(post_id=post_id, viewer=viewer)
    if post.author.username != username or post.id != post_id:
        return redirect("post_quotes", post.author.username, post.id)
    bounds = page_bounds(request, limit=settings.FEED_PAGE_SIZE)
    page = quotes_page(post=post, viewer=viewer, bounds=bounds)
    return _timeline(request, "feed/quotes.html", page, post=post)


@require_safe
def show_trending_posts(request: HttpRequest) -> HttpResponse:
    posts = trending_posts(viewer=viewer_id(request), limit=settings.FEED_PAGE_SIZE)
    page = TimelinePage(posts=posts, older_cursor=None, newer_cursor=None)
    return render(request, "feed/explore.html", {"page": page})


@require_safe
def show_trending_tags(request: HttpRequest) -> HttpResponse:
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
def show_trending_links(request: HttpRequest) -> HttpResponse:
    links = trending_links(viewer=viewer_id(request))
    return render(request, "feed/trending_links.html", {"links": links})


def _attribute_page(
    request: HttpRequest, kind: Literal["hashtag", "host", "item"], value: str
) -> TimelinePage:
    return attribute_page(
        kind=kind,
        value=value,
        viewer=viewer_id(request),
        bounds=page_bounds(request, limit=settings.FEED_PAGE_SIZE),
    )


def _timeline(
    request: HttpRequest, template: str, page: TimelinePage, **context: object
) -> HttpResponse:
    """Render a timeline page. If htmx requests the next posts while scrolling, render only the posts."""
    if is_htmx(request) and "max_id" in request.GET:
        template = "feed/_timeline_items.html"
    shown_token = sign_shown_posts(viewer=viewer_id(request), posts=page.posts)
    response = render(request, template, {"page": page, "shown_token": shown_token, **context})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _public_page(request: HttpRequest, language: str = "") -> TimelinePage:
    return public_page(
        viewer=viewer_id(request),
        bounds=page_bounds(request, limit=settings.FEED_PAGE_SIZE),
        language=language,
    )
