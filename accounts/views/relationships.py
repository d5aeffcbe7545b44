"""Forms to follow, subscribe to, feature, block and mute a user, hide shares, and undo each.

All forms are safe to send twice and redirect back to the previous page. A viewer whom the user blocks gets
the same responses as other viewers, but cannot follow.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import MuteForm, NoteForm
from accounts.infra.refusals import Refused
from accounts.request_guards import form_page
from accounts.selectors.profiles import get_card_or_404, get_profile_or_404
from accounts.services import follow_settings, follows
from accounts.services.blocks_and_mutes import block_user, mute_user, unblock_user, unmute_user
from accounts.services.follow_settings import feature_user, set_subscription, unfeature_user
from accounts.services.follows import follow_user, unfollow_user
from accounts.services.user_notes import save_note
from accounts.user_cards import UserCard
from accounts.viewer import next_url, signed_in_user

Action = Callable[[HttpRequest, int, UserCard], None]
View = Callable[[HttpRequest, str], HttpResponse]


def _action_view(action: Action) -> View:
    """Return a POST view for logged-in users that runs ``action(request, viewer, person)``.

    A message shows why the service refuses the action.
    """

    @wraps(action)
    def view(request: HttpRequest, username: str) -> HttpResponse:
        person = get_card_or_404(username=username)
        if not request.user.is_authenticated:
            # After log-in, the browser sends a GET request, which this URL does not accept. So return to
            # the profile.
            return redirect_to_login(person.url)
        try:
            action(request, signed_in_user(request).pk, person)
        except Refused as refusal:
            messages.error(request, str(refusal))
        return HttpResponseRedirect(next_url(request, default=person.url))

    return require_POST(view)


@_action_view
def follow(request: HttpRequest, viewer: int, person: UserCard) -> None:
    follow_user(follower=viewer, followee=person.uid)


@_action_view
def unfollow(request: HttpRequest, viewer: int, person: UserCard) -> None:
    unfollow_user(follower=viewer, followee=person.uid)


@_action_view
def subscribe(request: HttpRequest, viewer: int, person: UserCard) -> None:
    """Turn notifications about each post of a followed user on or off."""
    is_on = _is_on(request, "is_on", _("Choose whether to be notified of posts."))
    if not set_subscription(follower=viewer, followee=person.uid, is_on=is_on):
        text = _("Follow %(name)s first to be notified of their posts.")
        raise Refused(text % _name_params(person))
    text = _("You are no longer notified when %(name)s posts.")
    if is_on:
        text = _("You will be notified when %(name)s posts.")
    messages.success(request, text % _name_params(person))


@_action_view
def feature(request: HttpRequest, viewer: int, person: UserCard) -> None:
    """Feature a followed user on the viewer's profile, or remove the user from it."""
    if _is_on(request, "is_featured", _("Choose whether to feature this person.")):
        feature_user(owner=viewer, other=person.uid)
        text = _("Your profile now features %(name)s.")
    else:
        unfeature_user(owner=viewer, other=person.uid)
        text = _("Removed %(name)s from your profile.")
    messages.success(request, text % _name_params(person))


@_action_view
def remove_follower(request: HttpRequest, viewer: int, person: UserCard) -> None:
    follows.remove_follower(uid=viewer, follower=person.uid)
    messages.success(request, _("%(name)s no longer follows you.") % _name_params(person))


@require_http_methods(["GET", "HEAD", "POST"])
def block(request: HttpRequest, username: str) -> HttpResponse:
    """Show a confirmation page on GET. Block the user on POST."""
    if request.method == "POST":
        return _block(request, username)
    person = get_card_or_404(username=username)
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if signed_in_user(request).pk == person.uid:
        messages.error(request, _("You cannot block yourself."))
        return HttpResponseRedirect(person.url)
    return render(request, "accounts/block_user.html", {"person": person})


@_action_view
def _block(request: HttpRequest, viewer: int, person: UserCard) -> None:
    block_user(owner=viewer, other=person.uid)
    messages.success(request, _("You have blocked %(name)s.") % _name_params(person))


@_action_view
def unblock(request: HttpRequest, viewer: int, person: UserCard) -> None:
    unblock_user(owner=viewer, other=person.uid)


@_action_view
def mute(request: HttpRequest, viewer: int, person: UserCard) -> None:
    form = MuteForm(request.POST)
    if not form.is_valid():
        raise Refused(_("Choose how long to mute this person."))
    hours = form.cleaned_data["hours"]
    until = None if hours is None else timezone.now() + timedelta(hours=hours)
    mute_user(
        owner=viewer,
        other=person.uid,
        until=until,
        shows_notifications=form.cleaned_data["shows_notifications"],
    )
    messages.success(request, _("You have muted %(name)s.") % _name_params(person))


@_action_view
def unmute(request: HttpRequest, viewer: int, person: UserCard) -> None:
    unmute_user(owner=viewer, other=person.uid)


@_action_view
def hide_shares(request: HttpRequest, viewer: int, person: UserCard) -> None:
    is_hidden = _is_on(request, "is_hidden", _("Choose whether to show or hide shares."))
    if not follow_settings.hide_shares(owner=viewer, other=person.uid, is_hidden=is_hidden):
        text = _("Follow %(name)s first to hide or show their shares.")
        raise Refused(text % _name_params(person))
    text = _("Shares by %(name)s are shown again.")
    if is_hidden:
        text = _("Shares by %(name)s are hidden.")
    messages.success(request, text % _name_params(person))


def _is_on(request: HttpRequest, name: str, message: str) -> bool:
    """Return whether the button turns something on: "1", or "0" for off. Refuse other values."""
    value = request.POST.get(name)
    if value not in ("0", "1"):
        raise Refused(message)
    return value == "1"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_note(request: HttpRequest, username: str) -> HttpResponse:
    """Show the form of the viewer's private note about a user. Save the note on POST.

    Users have no note about themselves, so redirect to the profile.
    """
    viewer = signed_in_user(request).pk
    profile = get_profile_or_404(username=username, viewer=viewer)
    person = profile.user_card
    if profile.is_self:
        return HttpResponseRedirect(person.url)
    data = request.POST if request.method == "POST" else None
    form = NoteForm(data, initial={"text": profile.note})
    if form.is_valid():
        save_note(owner=viewer, other=person.uid, text=form.cleaned_data["text"])
        messages.success(request, _("Note saved."))
        return HttpResponseRedirect(person.url)
    return form_page(request, "accounts/edit_note.html", form, person=person)


def _name_params(person: UserCard) -> dict[str, str]:
    return {"name": person.display_name}
