"""What one person does to another: follow, block, mute, hide shares, remove, and undo each.

All are forms that may be sent twice and lead back to where they were. Whom the other one has blocked
gets the same answers as everybody: only following says that it is refused.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import HideSharesForm, MuteForm
from accounts.selectors.profiles import get_card_or_404
from accounts.services import blocks_and_mutes, follows
from accounts.services.blocks_and_mutes import (
    CannotBlock,
    CannotMute,
    block_user,
    mute_user,
    unblock_user,
    unmute_user,
)
from accounts.services.follows import CannotFollow, follow_user, unfollow_user
from accounts.user_cards import UserCard
from accounts.viewer import next_url, signed_in_user

Act = Callable[[HttpRequest, int, UserCard], None]
View = Callable[[HttpRequest, str], HttpResponse]


def _to_somebody(act: Act) -> View:
    """A view of ``act(request, viewer, person)`` for people who are signed in."""

    @wraps(act)
    def view(request: HttpRequest, username: str) -> HttpResponse:
        person = get_card_or_404(username=username)
        if not request.user.is_authenticated:
            return redirect_to_login(person.url)  # to come back here by GET would be refused
        act(request, signed_in_user(request).pk, person)
        return HttpResponseRedirect(next_url(request, default=person.url))

    return require_POST(view)


@_to_somebody
def follow(request: HttpRequest, viewer: int, person: UserCard) -> None:
    try:
        follow_user(follower=viewer, followee=person.uid)
    except CannotFollow as refusal:
        messages.error(request, str(refusal))


@_to_somebody
def unfollow(request: HttpRequest, viewer: int, person: UserCard) -> None:
    unfollow_user(follower=viewer, followee=person.uid)


@_to_somebody
def remove_follower(request: HttpRequest, viewer: int, person: UserCard) -> None:
    follows.remove_follower(uid=viewer, follower=person.uid)
    messages.success(request, _("%(name)s does not follow you any more.") % _named(person))


@require_http_methods(["GET", "HEAD", "POST"])
def block(request: HttpRequest, username: str) -> HttpResponse:
    """Asks first, unless it is sent by the form that asks."""
    if request.method == "POST":
        return _block(request, username)
    person = get_card_or_404(username=username)
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if signed_in_user(request).pk == person.uid:
        messages.error(request, _("You cannot block yourself."))
        return HttpResponseRedirect(person.url)
    return render(request, "accounts/block.html", {"person": person})


@_to_somebody
def _block(request: HttpRequest, viewer: int, person: UserCard) -> None:
    try:
        block_user(owner=viewer, other=person.uid)
    except CannotBlock as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("You have blocked %(name)s.") % _named(person))


@_to_somebody
def unblock(request: HttpRequest, viewer: int, person: UserCard) -> None:
    unblock_user(owner=viewer, other=person.uid)


@_to_somebody
def mute(request: HttpRequest, viewer: int, person: UserCard) -> None:
    form = MuteForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Please choose for how long to mute."))
        return
    hours = form.cleaned_data["hours"]
    until = None if hours is None else timezone.now() + timedelta(hours=hours)
    try:
        mute_user(owner=viewer, other=person.uid, until=until)
    except CannotMute as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("You have muted %(name)s.") % _named(person))


@_to_somebody
def unmute(request: HttpRequest, viewer: int, person: UserCard) -> None:
    unmute_user(owner=viewer, other=person.uid)


@_to_somebody
def hide_shares(request: HttpRequest, viewer: int, person: UserCard) -> None:
    form = HideSharesForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Please choose whether to show or to hide."))
        return
    hidden = form.cleaned_data["hidden"] == "1"
    if not blocks_and_mutes.hide_shares(owner=viewer, other=person.uid, is_hidden=hidden):
        messages.error(request, _("You do not follow %(name)s.") % _named(person))
    elif hidden:
        messages.success(request, _("What %(name)s shares is hidden.") % _named(person))
    else:
        messages.success(request, _("What %(name)s shares is shown again.") % _named(person))


def _named(person: UserCard) -> dict[str, str]:
    return {"name": person.display_name}
