"""Vote in polls, and follow their results."""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.viewer import is_htmx, next_url, signed_in_user, viewer_id
from feed.poll_details import MAX_CHOICES
from feed.selectors.visible_posts import visible_post
from feed.services import polls
from feed.services.polls import CannotVote, HasVoted

from .toggles import with_message

MAX_CHOICES_READ = 40
NUMBERS = {str(number): number for number in range(MAX_CHOICES)}
INVALID = -1


POLLING_STOPS = 286
"""The status with which htmx shows a response and then stops polling."""


@require_safe
def show_results(request: HttpRequest, post_id: int) -> HttpResponse:
    """Return a poll to htmx, which polls on the page of the post. Otherwise redirect to that page."""
    post = visible_post(post_id=post_id, viewer=viewer_id(request))
    if post.poll is None:
        raise Http404("No such poll.")
    if not is_htmx(request):
        return redirect(post.url)
    status = POLLING_STOPS if post.poll.is_over else 200
    return render(request, "feed/_poll.html", {"post": post, "large": True}, status=status)


@require_POST
def vote(request: HttpRequest, post_id: int) -> HttpResponse:
    """Vote, and return the results to htmx; otherwise redirect to the page of the button.

    One form of the page contains all its polls, so the name of the choices contains the id of the post.
    """
    viewer = viewer_id(request)
    post = visible_post(post_id=post_id, viewer=viewer)
    if not request.user.is_authenticated:
        return redirect_to_login(post.url)
    values = request.POST.getlist(f"choice-{post.id}")[:MAX_CHOICES_READ]
    choices = [NUMBERS.get(value, INVALID) for value in values]
    message, is_refused = _("Your vote is counted."), False
    try:
        polls.vote(post=post, choices=choices, actor=signed_in_user(request))
    except HasVoted as refusal:
        message = str(refusal)  # a double click, or another device: show the results
    except CannotVote as refusal:
        message, is_refused = str(refusal), True
    if not is_htmx(request):
        (messages.error if is_refused else messages.success)(request, message)
        return redirect(next_url(request, default=post.url, anchor=f"post-{post.id}"))
    post = visible_post(post_id=post_id, viewer=viewer)
    if is_refused and post.poll and post.poll.can_vote:
        return with_message(HttpResponse(status=204), message)
    context = {"post": post, "has_focus": True, "large": "live" in request.GET}
    response = render(request, "feed/_poll.html", context)
    return with_message(response, message)
