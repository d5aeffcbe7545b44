"""Preferences: kinds, filtered sender classes, single threads, and mails, with the page to unsubscribe."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.request_guards import form_page
from accounts.user_cards import find_card
from accounts.viewer import signed_in_user, viewer_time_zone
from feed.selectors.visible_posts import visible_post
from notifications.forms import MailPreferencesForm, PreferencesForm
from notifications.mail.message import recipient_from_token
from notifications.services.preferences import (
    change_mail_preferences,
    follow_thread,
    mute_thread,
    save_mail_preferences,
)
from notifications.store import threads
from notifications.store.preferences import NEVER, get_preferences, save_kinds

THREAD_ACTIONS = {"follow": follow_thread, "mute": mute_thread}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_preferences(request: HttpRequest) -> HttpResponse:
    viewer = signed_in_user(request).pk
    form = PreferencesForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        save_kinds(
            recipient=viewer,
            disabled_kinds=form.other_kinds(form.cleaned_data["on"]),
            filters=form.cleaned_data["filters"],
        )
        messages.success(request, _("Settings saved."))
        return redirect("notification_settings")
    if not form.is_bound:
        preferences = get_preferences(recipient=viewer)
        enabled_names = form.other_kinds(preferences.disabled_kinds)
        form.initial = {"on": enabled_names, "filters": sorted(preferences.filters)}
    return form_page(request, "notifications/settings.html", form)


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


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def mail_settings(request: HttpRequest) -> HttpResponse:
    viewer = signed_in_user(request).pk
    preferences = get_preferences(recipient=viewer).mail
    time_zone = viewer_time_zone(request) or preferences.time_zone
    data = request.POST if request.method == "POST" else None
    form = MailPreferencesForm(data, choice=preferences)
    if form.is_valid():
        save_mail_preferences(
            recipient=viewer,
            mode=form.cleaned_data["mode"],
            mailed_kinds=form.cleaned_data["mailed"],
            quiet_from=form.cleaned_data["quiet_from"],
            quiet_until=form.cleaned_data["quiet_until"],
            time_zone=time_zone,
        )
        messages.success(request, _("Settings saved."))
        return redirect("email_settings")
    context = {
        "time_zone": time_zone or settings.TIME_ZONE,
        "old_time_zone": preferences.time_zone if preferences.time_zone != time_zone else "",
    }
    return form_page(request, "notifications/email_settings.html", form, **context)


# For one-click unsubscribing (RFC 8058), mail programs post this form without a cookie, so a CSRF check
# would fail. The token in the URL identifies the user.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    recipient = recipient_from_token(token=token)
    card = None if recipient is None else find_card(uid=recipient)
    if card is None:
        raise Http404("No such user.")
    if request.method == "POST":
        change_mail_preferences(recipient=card.uid, mode=NEVER)
    context = {"person": card, "is_done": request.method == "POST"}
    return render(request, "notifications/unsubscribe.html", context)
