"""How one stands to others, and changing it. Each may be done twice and answers with how it is now."""

from datetime import timedelta
from typing import Any, TypedDict

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import IdListField, Inputs, OnlyAllowed, TextField
from accounts.selectors import familiar_followers as familiar_followers_selector
from accounts.services.blocks_and_mutes import (
    block_user,
    hide_shares,
    mute_user,
    unblock_user,
    unmute_user,
)
from accounts.services.follow_requests import accept_follow_request, reject_follow_request
from accounts.services.follows import follow_user, remove_follower, unfollow_user
from feed.api.serializers.accounts import Account

from .account_pages import card_or_404
from .serializers.accounts import serialize_accounts_for
from .serializers.relationships import Relationship, serialize_relationships
from .serializers.values import Id
from .status_lookup import NotSupported

MAX_IDS = 80
MAX_FAMILIAR_SHOWN = 10
MAX_MUTE_SECONDS = 10 * 366 * 86_400
"""Seconds; who asks for more gets that."""


class About(Inputs):
    id = IdListField(max_length=MAX_IDS)


class RelationshipsInputs(About):
    with_suspended = serializers.BooleanField(required=False, default=False)


@endpoint("read:follows", inputs=RelationshipsInputs, returns=list[Relationship])
def index(request: ApiRequest) -> Any:
    """How one stands to these people."""
    return serialize_relationships(viewer=request.uid, uids=request.inputs["id"])


class FamiliarFollowers(TypedDict):
    id: Id
    accounts: list[Account]


@endpoint("read:follows", inputs=About, returns=list[FamiliarFollowers])
def familiar_followers(request: ApiRequest) -> Any:
    """Whom one follows who follow these people."""
    found = familiar_followers_selector.familiar_followers(
        viewer=request.uid, uids=request.inputs["id"]
    )
    shown = {uid: some[:MAX_FAMILIAR_SHOWN] for uid, some in found.items()}
    uids = list({one for some in shown.values() for one in some})
    known = {one["id"]: one for one in serialize_accounts_for(uids=uids, viewer=request.uid)}
    return [
        {"id": str(uid), "accounts": [known[str(one)] for one in some if str(one) in known]}
        for uid, some in shown.items()
    ]


def current_relationship(request: ApiRequest, uid: int) -> Relationship:
    """How one stands to a person; raises Http404 where there is none."""
    for one in serialize_relationships(viewer=request.uid, uids=[uid]):
        return one
    raise Http404("No such person.")


class FollowInputs(Inputs):
    reblogs = serializers.BooleanField(required=False, allow_null=True, default=None)
    notify = serializers.BooleanField(
        required=False,
        allow_null=True,
        default=None,
        validators=[OnlyAllowed(_("You cannot be notified of a person's posts here."), False)],
    )
    languages = serializers.ListField(
        child=serializers.CharField(max_length=100, allow_blank=True),
        required=False,
        allow_null=True,
        default=list,
        max_length=200,
        validators=[
            OnlyAllowed(_("You cannot follow somebody in some languages only here."), [], [""])
        ],
    )


@endpoint("write:follows", inputs=FollowInputs, returns=Relationship)
def _follow(request: ApiRequest, uid: int) -> Any:
    """Follow, or ask to; whom one follows, with or without what they share (``reblogs``)."""
    card_or_404(uid=uid)
    follow_user(follower=request.uid, followee=uid)
    shows_shares = request.inputs["reblogs"]
    if shows_shares is not None:
        hide_shares(owner=request.uid, other=uid, is_hidden=not shows_shares)
    return current_relationship(request, uid)


@endpoint("write:follows", returns=Relationship)
def unfollow(request: ApiRequest, uid: int) -> Any:
    """Follow no longer, nor ask to."""
    card_or_404(uid=uid)
    unfollow_user(follower=request.uid, followee=uid)
    return current_relationship(request, uid)


@endpoint("write:follows", returns=Relationship)
def remove_from_followers(request: ApiRequest, uid: int) -> Any:
    """They follow no longer."""
    card_or_404(uid=uid)
    remove_follower(uid=request.uid, follower=uid)
    return current_relationship(request, uid)


@endpoint("write:blocks", returns=Relationship)
def block(request: ApiRequest, uid: int) -> Any:
    """Neither sees or follows the other from now on."""
    card_or_404(uid=uid)
    block_user(owner=request.uid, other=uid)
    return current_relationship(request, uid)


@endpoint("write:blocks", returns=Relationship)
def unblock(request: ApiRequest, uid: int) -> Any:
    """Block no longer."""
    card_or_404(uid=uid)
    unblock_user(owner=request.uid, other=uid)
    return current_relationship(request, uid)


class MuteInputs(Inputs):
    notifications = serializers.BooleanField(
        required=False,
        default=True,
        validators=[OnlyAllowed(_("Muting covers notifications here."), True)],
    )
    duration = serializers.IntegerField(required=False, allow_null=True, default=0, min_value=0)


@endpoint("write:mutes", inputs=MuteInputs, returns=Relationship)
def _mute(request: ApiRequest, uid: int) -> Any:
    """See nothing of them, for ``duration`` seconds or (0) for good. That covers notifications always."""
    card_or_404(uid=uid)
    seconds = min(request.inputs["duration"] or 0, MAX_MUTE_SECONDS)
    until = timezone.now() + timedelta(seconds=seconds) if seconds else None
    mute_user(owner=request.uid, other=uid, until=until)
    return current_relationship(request, uid)


@endpoint("write:mutes", returns=Relationship)
def unmute(request: ApiRequest, uid: int) -> Any:
    """Mute no longer."""
    card_or_404(uid=uid)
    unmute_user(owner=request.uid, other=uid)
    return current_relationship(request, uid)


class NoteInputs(Inputs):
    comment = TextField(
        max_length=2000, validators=[OnlyAllowed(_("There are no notes about people here."), "")]
    )


@endpoint("write:accounts", inputs=NoteInputs, returns=Relationship)
def note(request: ApiRequest, uid: int) -> Any:
    """Nothing is kept: there are no notes about others here."""
    return current_relationship(request, uid)


@endpoint("write:accounts", returns=Relationship)
def endorse(request: ApiRequest, uid: int) -> Any:
    """Refuse: profiles do not feature other people here."""
    card_or_404(uid=uid)
    raise NotSupported(_("People cannot be featured on a profile here."))


@endpoint("write:accounts", returns=Relationship)
def unendorse(request: ApiRequest, uid: int) -> Any:
    """Nothing changes: nobody features others here."""
    return current_relationship(request, uid)


@endpoint("write:follows", returns=Relationship)
def accept_request(request: ApiRequest, uid: int) -> Any:
    """Let somebody follow who has asked to."""
    card_or_404(uid=uid)
    accept_follow_request(followee=request.uid, follower=uid)
    return current_relationship(request, uid)


@endpoint("write:follows", returns=Relationship)
def refuse_request(request: ApiRequest, uid: int) -> Any:
    """Do not let somebody follow who has asked to; they are not told."""
    card_or_404(uid=uid)
    reject_follow_request(followee=request.uid, follower=uid)
    return current_relationship(request, uid)
