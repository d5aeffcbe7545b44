"""How one stands to others, and changing it. Each may be done twice and answers with how it is now."""

from datetime import timedelta
from typing import Any, TypedDict

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts import selectors as people
from accounts import services
from accounts.api import ApiRequest, Ids, Inputs, OnlyAllowed, TextField, endpoint

from .entities import Account
from .entities.people import accounts_by_id
from .entities.relationships import Relationship, relationships_of
from .entities.values import Id
from .found import NotHere
from .people_pages import person_or_404

MOST_AT_ONCE = 80
SHOWN_FAMILIAR = 10
LONGEST_MUTE = 10 * 366 * 86_400
"""Seconds; who asks for more gets that."""


class About(Inputs):
    id = Ids(max_length=MOST_AT_ONCE)


class AboutAll(About):
    with_suspended = serializers.BooleanField(required=False, default=False)


@endpoint("read:follows", takes=AboutAll, returns=list[Relationship])
def relationships(request: ApiRequest) -> Any:
    """How one stands to these people."""
    return relationships_of(viewer=request.uid, uids=request.given["id"])


class FamiliarFollowers(TypedDict):
    id: Id
    accounts: list[Account]


@endpoint("read:follows", takes=About, returns=list[FamiliarFollowers])
def familiar_followers(request: ApiRequest) -> Any:
    """Whom one follows who follow these people."""
    found = people.familiar_followers(viewer=request.uid, uids=request.given["id"])
    shown = {uid: some[:SHOWN_FAMILIAR] for uid, some in found.items()}
    uids = list({one for some in shown.values() for one in some})
    known = {one["id"]: one for one in accounts_by_id(uids=uids, viewer=request.uid)}
    return [
        {"id": str(uid), "accounts": [known[str(one)] for one in some if str(one) in known]}
        for uid, some in shown.items()
    ]


def now(request: ApiRequest, uid: int) -> Relationship:
    """How one stands to a person; raises Http404 where there is none."""
    for one in relationships_of(viewer=request.uid, uids=[uid]):
        return one
    raise Http404("No such person.")


class Following(Inputs):
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


@endpoint("write:follows", takes=Following, returns=Relationship)
def follow(request: ApiRequest, uid: int) -> Any:
    """Follow, or ask to; whom one follows, with or without what they share (``reblogs``)."""
    person_or_404(uid=uid)
    services.follow(follower=request.uid, followee=uid)
    shows_shares = request.given["reblogs"]
    if shows_shares is not None:
        services.hide_shares(owner=request.uid, other=uid, hidden=not shows_shares)
    return now(request, uid)


@endpoint("write:follows", returns=Relationship)
def unfollow(request: ApiRequest, uid: int) -> Any:
    """Follow no longer, nor ask to."""
    person_or_404(uid=uid)
    services.unfollow(follower=request.uid, followee=uid)
    return now(request, uid)


@endpoint("write:follows", returns=Relationship)
def remove_from_followers(request: ApiRequest, uid: int) -> Any:
    """They follow no longer."""
    person_or_404(uid=uid)
    services.remove_follower(uid=request.uid, follower=uid)
    return now(request, uid)


@endpoint("write:blocks", returns=Relationship)
def block(request: ApiRequest, uid: int) -> Any:
    """Neither sees or follows the other from now on."""
    person_or_404(uid=uid)
    services.block(owner=request.uid, other=uid)
    return now(request, uid)


@endpoint("write:blocks", returns=Relationship)
def unblock(request: ApiRequest, uid: int) -> Any:
    """Block no longer."""
    person_or_404(uid=uid)
    services.unblock(owner=request.uid, other=uid)
    return now(request, uid)


class Muting(Inputs):
    notifications = serializers.BooleanField(
        required=False,
        default=True,
        validators=[OnlyAllowed(_("Muting covers notifications here."), True)],
    )
    duration = serializers.IntegerField(required=False, allow_null=True, default=0, min_value=0)


@endpoint("write:mutes", takes=Muting, returns=Relationship)
def mute(request: ApiRequest, uid: int) -> Any:
    """See nothing of them, for ``duration`` seconds or (0) for good. That covers notifications always."""
    person_or_404(uid=uid)
    seconds = min(request.given["duration"] or 0, LONGEST_MUTE)
    until = timezone.now() + timedelta(seconds=seconds) if seconds else None
    services.mute(owner=request.uid, other=uid, until=until)
    return now(request, uid)


@endpoint("write:mutes", returns=Relationship)
def unmute(request: ApiRequest, uid: int) -> Any:
    """Mute no longer."""
    person_or_404(uid=uid)
    services.unmute(owner=request.uid, other=uid)
    return now(request, uid)


class Note(Inputs):
    comment = TextField(
        max_length=2000, validators=[OnlyAllowed(_("There are no notes about people here."), "")]
    )


@endpoint("write:accounts", takes=Note, returns=Relationship)
def note(request: ApiRequest, uid: int) -> Any:
    """Nothing is kept: there are no notes about others here."""
    return now(request, uid)


@endpoint("write:accounts", returns=Relationship)
def endorse(request: ApiRequest, uid: int) -> Any:
    """Refuse: profiles do not feature other people here."""
    person_or_404(uid=uid)
    raise NotHere(_("People cannot be featured on a profile here."))


@endpoint("write:accounts", returns=Relationship)
def unendorse(request: ApiRequest, uid: int) -> Any:
    """Nothing changes: nobody features others here."""
    return now(request, uid)


@endpoint("write:follows", returns=Relationship)
def accept_request(request: ApiRequest, uid: int) -> Any:
    """Let somebody follow who has asked to."""
    person_or_404(uid=uid)
    services.accept_request(followee=request.uid, follower=uid)
    return now(request, uid)


@endpoint("write:follows", returns=Relationship)
def refuse_request(request: ApiRequest, uid: int) -> Any:
    """Do not let somebody follow who has asked to; they are not told."""
    person_or_404(uid=uid)
    services.refuse_request(followee=request.uid, follower=uid)
    return now(request, uid)
