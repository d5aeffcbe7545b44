"""Preferences: kinds, filtered sender classes, and single threads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.viewer import signed_in_user
from feed.selectors.visible_posts import visible_post
from notifications.forms import PreferencesForm
from notifications.kinds import kinds
from notifications.services.preferences import follow_thread, mute_thread, save_preferences
from notifications.store import threads
from notifications.store.preferences import get_preferences

THREAD_ACTIONS = {"follow": follow_thread, "mute": mute_thread}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_preferences(request: HttpRequest) -> HttpResponse:
    viewer = signed_in_user(request).pk
    if request.method == "POST":
        form = PreferencesForm(request.POST)
        if form.is_valid():
            save_preferences(
                recipient=viewer,
                disabled_kinds=form.disabled_kinds(),
                filters=form.cleaned_data["filters"],
            )
            messages.success(request, _("Settings saved."))
            return redirect("notification_settings")
    else:
        preferences = get_preferences(recipient=viewer)
        enabled_names = [
            kind.name
            for kind in kinds()
            if kind.can_be_disabled and kind.name not in preferences.disabled_kinds
        ]
        form = PreferencesForm({"on": enabled_names, "filters": sorted(preferences.filters)})
    status = 422 if form.errors else 200
    context = {"form": form}
    return render(request, "notifications/settings.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_thread(request: HttpRequest, post_id: int) -> HttpResponse:
    """Follow or mute a thread, or return to the usual notifications."""
    viewer = signed_in_user(request).pk
    post = visible_post(post_id=post_id, viewer=viewer)
    if request.method == "POST":
        change = THREAD_ACTIONS.get(request.POST.get("choice", ""))
        if change is not None:
            change(uid=viewer, post_id=post.id)
        else:
            threads.unfollow_thread(uid=viewer, post=post.id)
            threads.unmute_thread(uid=viewer, post=post.id)
        messages.success(request, _("Settings saved."))
        return redirect(post.url)
    thread_choice = "usual"
    if threads.has_muted_thread(post=post.id, uid=viewer):
        thread_choice = "mute"
    elif threads.is_following_thread(post=post.id, uid=viewer):
        thread_choice = "follow"
    return render(
        request,
        "notifications/thread_notifications.html",
        {"post": post, "thread_choice": thread_choice},
    )
