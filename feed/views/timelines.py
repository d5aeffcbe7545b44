"""Pages of timelines: home and its other views, everybody's, profiles, hashtags. Posts: ``posts``."""

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

from accounts import selectors as people
from accounts.paging import cursor, id_in, window
from accounts.viewer import signed_in, viewer_id, way_back
from feed import selectors, services
from feed.activities import Review
from feed.forms import PostForm
from feed.models import MAX_TEXT
from feed.selectors import PostView, TimelinePage
from feed.text import matching
from feed.text.rendering import tag_path
from feed.text.urls import host_of

from .tags import known_tag


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return _timeline(request, "feed/landing.html", _public_page(request))
    page = selectors.home_page(
        reader=request.user.pk,
        limit=settings.FEED_PAGE_SIZE,
        top=cursor(request, "top"),
        **window(request),
    )
    return _timeline(request, "feed/home.html", page, form=PostForm())


@require_safe
@login_required
def unread(request: HttpRequest) -> HttpResponse:
    page = selectors.oldest_first_page(
        reader=signed_in(request).pk,
        limit=settings.FEED_PAGE_SIZE,
        min_id=cursor(request, "min_id"),
    )
    return render(request, "feed/unread.html", {"page": page})


@require_safe
@login_required
def quiet(request: HttpRequest) -> HttpResponse:
    page = selectors.quiet_page(
        reader=signed_in(request).pk,
        limit=settings.FEED_PAGE_SIZE,
        after=cursor(request, "after") or 0,
    )
    return render(request, "feed/quiet.html", {"page": page})


@require_POST
def mark_read(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    position = id_in(request.POST.get("position", ""))
    if position is None:
        messages.error(request, _("That did not work. Please try again."))
    else:
        services.remember_position(reader=signed_in(request).pk, position=position)
    if getattr(request, "htmx", False):
        return HttpResponse(status=204)
    return redirect(way_back(request, default="home"))


@require_safe
def public(request: HttpRequest) -> HttpResponse:
    return _timeline(request, "feed/public.html", _public_page(request))


@require_safe
def profile(request: HttpRequest, username: str) -> HttpResponse:
    viewer = viewer_id(request)
    found = people.profile(username=username, viewer=viewer)
    page = TimelinePage(posts=(), older=None, newer=None)
    if not (found.blocks_them or found.blocked_by_them):
        page = selectors.profile_page(
            author=found.person.uid,
            viewer=viewer,
            limit=settings.FEED_PAGE_SIZE,
            is_open=found.may_see_posts,
            is_following=found.is_following,
            **window(request),
        )
    pinned: tuple[PostView, ...] = ()
    if found.may_see_posts and not any(window(request).values()):
        pinned = selectors.pinned_posts(author=found.person.uid, viewer=viewer)
    context = {field.name: getattr(found, field.name) for field in fields(found)}
    return _timeline(request, "feed/profile.html", page, pinned=pinned, **context)


@require_safe
def tag(request: HttpRequest, tag: str) -> HttpResponse:
    key = known_tag(tag)
    if key != tag:
        return redirect(tag_path(tag))
    viewer = viewer_id(request)
    page = _about(request, "hashtag", key)
    is_following = viewer is not None and key in selectors.followed_tags(reader=viewer)
    return _timeline(request, "feed/tag.html", page, tag=key, is_following=is_following)


@require_safe
def reviews(request: HttpRequest) -> HttpResponse:
    """Of one thing: ``?of=book:dune``."""
    value = matching.key(request.GET.get("of", ""))
    item, _colon, title = value.partition(":")
    label = dict(Review.ITEMS).get(item)
    if label is None or not title or len(value) > MAX_TEXT:
        raise Http404("No such thing.")
    page = _about(request, "item", value)
    if page.posts:
        title = page.posts[0].details["title"]  # as its newest reviewer writes it
    context = {"title": title, "item": label, "query": urlencode({"of": value}) + "&"}
    return _timeline(request, "feed/reviews.html", page, **context)


@require_safe
def links(request: HttpRequest) -> HttpResponse:
    """To one host: ``?to=example.org``."""
    host = request.GET.get("to", "")
    if not (host.isprintable() and host) or host_of(host) != host or len(host) > MAX_TEXT:
        raise Http404("No such host.")
    page = _about(request, "host", host)
    return _timeline(
        request, "feed/links.html", page, host=host, query=urlencode({"to": host}) + "&"
    )


def _about(
    request: HttpRequest, kind: Literal["hashtag", "host", "item"], value: str
) -> TimelinePage:
    return selectors.about_page(
        kind=kind,
        value=value,
        viewer=viewer_id(request),
        limit=settings.FEED_PAGE_SIZE,
        **window(request),
    )


def _timeline(
    request: HttpRequest, template: str, page: TimelinePage, **context: object
) -> HttpResponse:
    """The whole page, or for htmx, which asks for what comes next, only the posts."""
    if getattr(request, "htmx", False) and "max_id" in request.GET:
        template = "feed/_posts.html"
    response = render(request, template, {"page": page, **context})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _public_page(request: HttpRequest) -> TimelinePage:
    return selectors.public_page(
        viewer=viewer_id(request), limit=settings.FEED_PAGE_SIZE, **window(request)
    )
