"""Pages of posts: home, everybody's, profiles, single posts; publishing and deleting."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts import selectors as people
from accounts.paging import cursor
from accounts.viewer import signed_in, viewer_id

from . import selectors, services
from .forms import PostForm
from .selectors import TimelinePage


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return _timeline(request, "feed/landing.html", _public_page(request))
    page = selectors.home_page(
        reader=request.user.pk,
        limit=settings.FEED_PAGE_SIZE,
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
    return _timeline(request, "feed/home.html", page, form=PostForm())


@require_safe
def public(request: HttpRequest) -> HttpResponse:
    return _timeline(request, "feed/public.html", _public_page(request))


@require_safe
def profile(request: HttpRequest, username: str) -> HttpResponse:
    viewer = viewer_id(request)
    found = people.profile(username=username, viewer=viewer)
    page = selectors.profile_page(
        author=found.person.uid,
        viewer=viewer,
        limit=settings.FEED_PAGE_SIZE,
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
    return _timeline(
        request,
        "feed/profile.html",
        page,
        person=found.person,
        bio=found.bio,
        joined=found.joined,
        followers_count=found.followers_count,
        following_count=found.following_count,
        is_self=found.is_self,
        is_following=found.is_following,
    )


@require_safe
def post(request: HttpRequest, username: str, post_id: int) -> HttpResponse:
    viewer = viewer_id(request)
    found = selectors.post(post_id=post_id, viewer=viewer)
    if found.author.username != username:
        # An old link, from before the author's rename.
        return redirect(found.url)
    is_following = people.follows(follower=viewer, followee=found.author.uid)
    context = {
        "post": found,
        "is_self": found.author.uid == viewer,
        "is_following": is_following,
    }
    return render(request, "feed/post.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def publish(request: HttpRequest) -> HttpResponse:
    form = PostForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        services.publish_post(author=signed_in(request).pk, text=form.cleaned_data["text"])
        messages.success(request, _("Your post is out."))
        return redirect("home")
    status = 422 if request.method == "POST" else 200
    return render(request, "feed/composer.html", {"form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_post(request: HttpRequest, post_id: int) -> HttpResponse:
    user = signed_in(request)
    found = selectors.post(post_id=post_id, viewer=user.pk)
    if not (found.can_delete or user.has_perm("feed.delete_post")):
        raise Http404("No such post.")
    if request.method == "POST":
        services.delete_post(post_id=post_id, actor=user)
        messages.success(request, _("The post is deleted."))
        return redirect("home")
    return render(request, "feed/post_delete.html", {"post": found})


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
        viewer=viewer_id(request),
        limit=settings.FEED_PAGE_SIZE,
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
