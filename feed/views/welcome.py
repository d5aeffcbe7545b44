"""Three steps after sign-up: name and picture, topics, people. Each can be skipped and opened again.

The steps store no state of their own. Suggestions in the home timeline continue them.
"""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import NameAndPictureForm
from accounts.request_guards import RefusalsIn, form_page
from accounts.services.follows import follow_users
from accounts.services.profiles import update_profile
from accounts.viewer import is_htmx, next_url, signed_in_user
from feed.forms.welcome import PeopleForm, TopicsForm
from feed.selectors.people import MAX_SUGGESTIONS, suggested_people
from feed.selectors.tags import active_tags, followed_tags
from feed.services.tags import choose_tags
from feed.store import home_states


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_profile_step(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = NameAndPictureForm(
        *((request.POST, request.FILES) if request.method == "POST" else ()),
        initial={"display_name": user.display_name},
        user=user,
    )
    if form.is_valid() and form.save_pictures():
        update_profile(uid=user.pk, display_name=form.cleaned_data["display_name"])
        return redirect("welcome_topics")
    return form_page(request, "feed/welcome_profile.html", form)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_topics_step(request: HttpRequest) -> HttpResponse:
    uid = signed_in_user(request).pk
    form = TopicsForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with RefusalsIn(form):
            choose_tags(uid=uid, chosen=form.cleaned_data["tag"], shown=form.cleaned_data["shown"])
            return redirect("welcome_people")
    followed = followed_tags(viewer=uid)
    active = [tag.tag for tag in active_tags()]
    tags = [*active, *(tag for tag in followed if tag not in active)]
    return form_page(request, "feed/welcome_topics.html", form, tags=tags, followed_tags=followed)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_people_step(request: HttpRequest) -> HttpResponse:
    uid = signed_in_user(request).pk
    form = PeopleForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with RefusalsIn(form):
            count = follow_users(follower=uid, followees=form.chosen_uids)
            messages.success(request, _followed_message(count))
            return redirect("home")
    suggestions = suggested_people(viewer=uid, limit=MAX_SUGGESTIONS)
    return form_page(request, "feed/welcome_people.html", form, suggestions=suggestions)


def _followed_message(count: int) -> str:
    if not count:
        return _("You can find people under Explore at any time.")
    text = ngettext(
        "You followed %(count)s person. Their posts appear here.",
        "You followed %(count)s people. Their posts appear here.",
        count,
    )
    return text % {"count": count}


@require_POST
def hide_suggestions(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    home_states.hide_suggestions(viewer=signed_in_user(request).pk)
    if is_htmx(request):
        return render(request, "feed/_suggestions_hidden.html")
    messages.success(request, _("Suggestions are hidden. You can find people under Explore."))
    return redirect(next_url(request, default="home"))
