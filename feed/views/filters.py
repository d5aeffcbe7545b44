"""The settings page for filters, and pages to filter a single post, or the languages of a user."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.request_guards import RefusalsIn, form_page
from accounts.selectors.profiles import get_profile_or_404
from accounts.services.follow_settings import set_languages
from accounts.viewer import signed_in_user
from feed.forms.lists_and_filters import FilterForm, FilterPostForm, FollowLanguagesForm
from feed.selectors.featured_content import newest_languages
from feed.selectors.filters import filters_of_viewer, home_kind_choices, viewer_filter
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import filtered_posts, visible_post
from feed.services import filters
from feed.services.filters import add_phrase_filter


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_filters(request: HttpRequest) -> HttpResponse:
    viewer = signed_in_user(request).pk
    form = FilterForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with RefusalsIn(form, "phrase"):
            add_phrase_filter(owner=viewer, **form.cleaned_data)
            messages.success(request, _("Filter added."))
            return redirect("filters")
    context = {
        "filters": filters_of_viewer(viewer=viewer),
        "kinds": home_kind_choices(viewer=viewer),
        "now": timezone.now(),
    }
    return form_page(request, "feed/filters.html", form, **context)


@require_safe
@login_required
def show_filter(request: HttpRequest, filter_id: int) -> HttpResponse:
    viewer = signed_in_user(request).pk
    user_filter = viewer_filter(viewer=viewer, filter_id=filter_id)
    posts = filtered_posts(viewer=viewer, user_filter=user_filter)
    return render(request, "feed/filter.html", {"word_filter": user_filter, "posts": posts})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def filter_post(request: HttpRequest, post_id: int) -> HttpResponse:
    """Add a single post to a filter that the viewer chooses or creates."""
    viewer = signed_in_user(request).pk
    post = visible_post(post_id=post_id, viewer=viewer)
    if post.is_own:
        raise Http404("Own posts cannot be filtered.")
    user_filters = filters_of_viewer(viewer=viewer)
    form = FilterPostForm(request.POST if request.method == "POST" else None, filters=user_filters)
    if form.is_valid():
        with RefusalsIn(form, "filter"):
            filter_id = _filter_post(viewer, post, form.cleaned_data["filter"])
            messages.success(request, _("Post added to the filter."))
            return redirect("filter", filter_id)
    return form_page(request, "feed/filter_post.html", form, post=post)


def _filter_post(viewer: int, post: PostView, choice: str) -> int:
    """Add the post to the chosen filter (``FilterPostForm``), and return the filter's id."""
    if not choice.isdecimal():
        return filters.filter_post_alone(owner=viewer, post=post, has_warning=choice == "warn")
    user_filter = viewer_filter(viewer=viewer, filter_id=int(choice))
    filters.filter_post(owner=viewer, user_filter=user_filter, post=post)
    return user_filter.id


@require_POST
@login_required
def unfilter_post(request: HttpRequest, filter_id: int, row_id: int) -> HttpResponse:
    """Remove a single post from a filter. A second click changes nothing."""
    filters.unfilter_post(owner=signed_in_user(request).pk, row_id=row_id)
    messages.success(request, _("Post removed from the filter."))
    return redirect("filter", filter_id)


@require_POST
@login_required
def delete_filter(request: HttpRequest, filter_id: int) -> HttpResponse:
    filters.delete_filter(owner=signed_in_user(request).pk, filter_id=filter_id)
    messages.success(request, _("Filter deleted."))
    return redirect("filters")


@require_POST
@login_required
def set_home_kinds(request: HttpRequest) -> HttpResponse:
    shown = set(request.POST.getlist("kind"))
    filters.set_home_kinds(owner=signed_in_user(request).pk, shown_kinds=shown)
    messages.success(request, _("Settings saved."))
    return redirect("filters")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def choose_follow_languages(request: HttpRequest, username: str) -> HttpResponse:
    """Show the languages, first those of the user's newest posts. Save the choice on POST."""
    user = signed_in_user(request)
    profile = get_profile_or_404(username=username, viewer=user.pk)
    person = profile.user_card
    if not (profile.is_following or profile.is_requested):
        messages.error(
            request,
            _("Follow %(name)s first to choose languages.") % {"name": person.display_name},
        )
        return redirect(person.url)
    form = FollowLanguagesForm(
        request.POST if request.method == "POST" else None, chosen=profile.languages
    )
    if form.is_valid():
        languages = form.cleaned_data["languages"]
        set_languages(follower=user.pk, followee=person.uid, languages=languages)
        messages.success(request, _("Languages saved."))
        return redirect(person.url)
    suggested = profile.languages | {user.post_language}
    if profile.can_view_posts:
        suggested |= set(newest_languages(author=person.uid))
    field: Any = form.fields["languages"]
    context = {
        "person": person,
        "chosen": profile.languages,
        "suggested": [choice for choice in field.choices if choice[0] in suggested],
        "others": [choice for choice in field.choices if choice[0] not in suggested],
    }
    return form_page(request, "feed/follow_languages.html", form, **context)
