"""What somebody wants to hear of: kinds, senders, and single posts."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.viewer import signed_in
from feed import selectors as feed
from notifications import selectors, services
from notifications.forms import ChoicesForm
from notifications.kinds import kinds
from notifications.pushing import keys

THREAD = {
    "follow": services.follow_thread,
    "mute": services.mute_thread,
}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def choose(request: HttpRequest) -> HttpResponse:
    reader = signed_in(request).pk
    if request.method == "POST":
        form = ChoicesForm(request.POST)
        if form.is_valid():
            services.choose(reader=reader, off=form.off(), filters=form.cleaned_data["filters"])
            messages.success(request, _("Saved."))
            return redirect("choose_notifications")
    else:
        choices = selectors.choices_of(reader=reader)
        on = [one.name for one in kinds() if one.can_be_off and one.name not in choices.off]
        form = ChoicesForm({"on": on, "filters": sorted(choices.filters)})
    status = 422 if form.errors else 200
    context = {"form": form, "has_devices": keys.is_on()}
    return render(request, "notifications/choices.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def thread(request: HttpRequest, post_id: int) -> HttpResponse:
    """Hear of everything that is said to a post, of what concerns one, or of nothing."""
    reader = signed_in(request).pk
    post = feed.post(post_id=post_id, viewer=reader)
    if request.method == "POST":
        change = THREAD.get(request.POST.get("hear", ""))
        if change is not None:
            change(reader=reader, post_id=post.id)
        else:
            services.unfollow_thread(reader=reader, post_id=post.id)
            services.unmute_thread(reader=reader, post_id=post.id)
        messages.success(request, _("Saved."))
        return redirect(post.url)
    hears = "usual"
    if selectors.mutes_thread(post=post.id, uid=reader):
        hears = "mute"
    elif selectors.follows_thread(post=post.id, uid=reader):
        hears = "follow"
    return render(request, "notifications/thread.html", {"post": post, "hears": hears})
