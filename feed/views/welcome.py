"""Three steps after sign-up: name and picture, topics, people. Each can be skipped and opened again.

The steps store no state of their own. Suggestions in the home timeline continue them.
"""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import NameAndPictureForm
from accounts.infra.rate_limits import RateLimited
from accounts.request_guards import with_retry_after
from accounts.services.follows import follow_users
from accounts.services.profiles import update_profile
from accounts.viewer import is_htmx, next_url, signed_in_user
from feed.forms import PeopleForm, TopicsForm
from feed.selectors.people import MAX_SUGGESTIONS, suggested_people
from feed.selectors.tags import active_tags, followed_tags
from feed.services.suggestions import hide_suggestions as hide_home_suggestions
from feed.services.tags import CannotFollowTag, choose_tags


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_profile_step(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    if request.method != "POST":
        form = NameAndPictureForm(initial={"display_name": user.display_name}, user=user)
        return _step(request, "profile", form)
    form = NameAndPictureForm(request.POST, request.FILES, user=user)
    if not (form.is_valid() and form.save_pictures()):
        response = _step(request, "profile", form)
        return with_retry_after(response, form.retry_error) if form.retry_error else response
    update_profile(uid=user.pk, display_name=form.cleaned_data["display_name"])
    return redirect("welcome_topics")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_topics_step(request: HttpRequest) -> HttpResponse:
    uid = signed_in_user(request).pk
    form = TopicsForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            choose_tags(uid=uid, chosen=form.cleaned_data["tag"], shown=form.cleaned_data["shown"])
        except CannotFollowTag as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("welcome_people")
    followed = followed_tags(viewer=uid)
    active = [tag.tag for tag in active_tags()]
    tags = [*active, *(tag for tag in followed if tag not in active)]
    return _step(request, "topics", form, tags=tags, followed_tags=followed)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_people_step(request: HttpRequest) -> HttpResponse:
    uid = signed_in_user(request).pk
    form = PeopleForm(request.POST if request.method == "POST" else None)
    limit_error: RateLimited | None = None
    if form.is_valid():
        try:
            count = follow_users(follower=uid, followees=form.chosen_uids)
        except RateLimited as refusal:
            limit_error = refusal
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _followed_message(count))
            return redirect("home")
    suggestions = suggested_people(viewer=uid, limit=MAX_SUGGESTIONS)
    response = _step(request, "people", form, suggestions=suggestions)
    return with_retry_after(response, limit_error) if limit_error else response


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
    """Hide the suggestions in the home timeline for good."""
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("home"))
    hide_home_suggestions(viewer=signed_in_user(request).pk)
    if is_htmx(request):
        return render(request, "feed/_suggestions_hidden.html")
    messages.success(request, _("Suggestions are hidden. You can find people under Explore."))
    return redirect(next_url(request, default="home"))


def _step(request: HttpRequest, step: str, form: Form, **context: object) -> HttpResponse:
    """Render a step, with status 422 if the form has errors."""
    status = 422 if form.errors else 200
    return render(request, f"feed/welcome_{step}.html", {"form": form, **context}, status=status)
