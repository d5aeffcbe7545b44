"""Return and change the relationships between the caller and other users: follow, block and mute.

Clients may safely repeat every action. An action returns the relationship after the change.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypedDict

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers

from accounts.selectors import familiar_followers as familiar_followers_selector
from accounts.selectors.relationships import relationship_details
from accounts.services import (
    blocks_and_mutes,
    follow_requests,
    follow_settings,
    follows,
    user_notes,
)

from .account_lists import AccountIdsInputs, card_or_404
from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import OPTIONAL, Inputs, TextField
from .serializers.accounts import Account, serialize_accounts_for
from .serializers.values import DateTime, Id, format_datetime
from .status_inputs import LanguageField

MAX_FAMILIAR_SHOWN = 10
MAX_MUTE_SECONDS = 10 * 366 * 86_400
"""Maximum duration of a temporary mute. Longer durations are reduced to this value."""


class Relationship(TypedDict):
    """The caller's relationship with an account.

    ``domain_blocking`` never changes, because there are no other sites.
    """

    id: Id
    following: bool
    showing_reblogs: bool
    notifying: bool
    languages: list[str] | None
    followed_by: bool
    blocking: bool
    blocked_by: bool
    muting: bool
    muting_notifications: bool
    muting_expires_at: DateTime | None
    requested: bool
    requested_by: bool
    domain_blocking: bool
    endorsed: bool
    note: str


def serialize_relationships(*, viewer: int, uids: Sequence[int]) -> list[Relationship]:
    """Return relationships in the order of ``uids``, without deactivated and deleted users."""
    return [
        {
            "id": str(relationship.uid),
            "following": relationship.is_following,
            "showing_reblogs": (relationship.is_following or relationship.is_requested)
            and not relationship.hides_shares,
            "notifying": relationship.is_subscribed,
            "languages": sorted(relationship.languages) or None,
            "followed_by": relationship.is_followed_by,
            "blocking": relationship.is_blocking,
            "blocked_by": relationship.is_blocked_by,
            "muting": relationship.is_muting,
            "muting_notifications": relationship.is_muting_notifications,
            "muting_expires_at": format_datetime(relationship.muted_until)
            if relationship.muted_until
            else None,
            "requested": relationship.is_requested,
            "requested_by": relationship.is_requested_by,
            "domain_blocking": False,
            "endorsed": relationship.is_featured,
            "note": relationship.note,
        }
        for relationship in relationship_details(viewer=viewer, uids=uids)
    ]


class RelationshipsInputs(AccountIdsInputs):
    with_suspended = serializers.BooleanField(required=False, default=False)


@endpoint("read:follows", inputs=RelationshipsInputs, returns=list[Relationship])
def index(request: ApiRequest) -> Any:
    """Return the caller's relationships with the given accounts."""
    return serialize_relationships(viewer=request.uid, uids=request.inputs["id"])


class FamiliarFollowers(TypedDict):
    id: Id
    accounts: list[Account]


@endpoint("read:follows", inputs=AccountIdsInputs, returns=list[FamiliarFollowers])
def familiar_followers(request: ApiRequest) -> Any:
    """Return the followers of each given account whom the caller follows."""
    follower_uids = familiar_followers_selector.familiar_followers(
        viewer=request.uid, uids=request.inputs["id"]
    )
    shown_uids = {uid: uids[:MAX_FAMILIAR_SHOWN] for uid, uids in follower_uids.items()}
    unique_uids = list({uid for uids in shown_uids.values() for uid in uids})
    accounts = serialize_accounts_for(uids=unique_uids, viewer=request.uid)
    account_by_id = {account["id"]: account for account in accounts}
    return [
        {
            "id": str(uid),
            "accounts": [
                account_by_id[str(follower)] for follower in uids if str(follower) in account_by_id
            ],
        }
        for uid, uids in shown_uids.items()
    ]


def current_relationship(request: ApiRequest, uid: int) -> Relationship:
    """Return the caller's relationship with an account. Raises Http404 if the account does not exist."""
    for relationship in serialize_relationships(viewer=request.uid, uids=[uid]):
        return relationship
    raise Http404("No such account.")


def _action(scope: str, description: str, change: Callable[..., object]) -> Any:
    """Return an endpoint without inputs that changes a relationship.

    Args:
        change: takes the uids of the caller (``owner``) and of the other account (``other``).
    """

    def act(request: ApiRequest, uid: int) -> Any:
        card_or_404(uid=uid)
        change(owner=request.uid, other=uid)
        return current_relationship(request, uid)

    act.__doc__ = description
    return endpoint(scope, returns=Relationship)(act)


unfollow = _action(
    "write:follows",
    "Unfollow an account, or withdraw the follow request.",
    lambda owner, other: follows.unfollow_user(follower=owner, followee=other),
)
remove_from_followers = _action(
    "write:follows",
    "Remove an account from the caller's followers.",
    lambda owner, other: follows.remove_follower(uid=owner, follower=other),
)
block = _action(
    "write:blocks",
    "Block an account. Neither can see or follow the other.",
    blocks_and_mutes.block_user,
)
unblock = _action("write:blocks", "Unblock an account.", blocks_and_mutes.unblock_user)
unmute = _action("write:mutes", "Unmute an account.", blocks_and_mutes.unmute_user)
accept_request = _action(
    "write:follows",
    "Accept a follow request.",
    lambda owner, other: follow_requests.accept_follow_request(followee=owner, follower=other),
)
endorse = _action(
    "write:accounts",
    "Feature an account that the caller follows on the caller's profile.",
    follow_settings.feature_user,
)
unendorse = _action(
    "write:accounts", "Remove an account from the caller's profile.", follow_settings.unfeature_user
)
refuse_request = _action(
    "write:follows",
    "Reject a follow request. The requester is not notified.",
    lambda owner, other: follow_requests.reject_follow_request(followee=owner, follower=other),
)


class FollowInputs(Inputs):
    reblogs = serializers.BooleanField(**OPTIONAL)
    notify = serializers.BooleanField(**OPTIONAL)
    languages = serializers.ListField(
        child=LanguageField(), max_length=follow_settings.MAX_LANGUAGES, **OPTIONAL
    )


@endpoint("write:follows", inputs=FollowInputs, returns=Relationship)
def follow(request: ApiRequest, uid: int) -> Any:
    """Follow an account. If the account is private, send a follow request instead.

    ``reblogs`` shows or hides the account's shares in the caller's home timeline. ``notify`` turns
    notifications about the account's posts on or off. ``languages`` limits the account's posts in the home
    timeline to these languages, an empty list ends this. Without a value, each keeps its state.
    """
    card_or_404(uid=uid)
    follows.follow_user(follower=request.uid, followee=uid)
    shows_shares = request.inputs["reblogs"]
    if shows_shares is not None:
        follow_settings.hide_shares(owner=request.uid, other=uid, is_hidden=not shows_shares)
    if (notify := request.inputs["notify"]) is not None:
        follow_settings.set_subscription(follower=request.uid, followee=uid, is_on=notify)
    if (languages := request.inputs["languages"]) is not None:
        follow_settings.set_languages(
            follower=request.uid, followee=uid, languages=filter(None, languages)
        )
    return current_relationship(request, uid)


class MuteInputs(Inputs):
    notifications = serializers.BooleanField(required=False, allow_null=True, default=True)
    duration = serializers.IntegerField(required=False, allow_null=True, default=0, min_value=0)


@endpoint("write:mutes", inputs=MuteInputs, returns=Relationship)
def mute(request: ApiRequest, uid: int) -> Any:
    """Mute an account for ``duration`` seconds, or permanently if ``duration`` is 0.

    With ``notifications`` false, the caller still gets notifications about the account.
    """
    card_or_404(uid=uid)
    seconds = min(request.inputs["duration"] or 0, MAX_MUTE_SECONDS)
    muted_until = timezone.now() + timedelta(seconds=seconds) if seconds else None
    blocks_and_mutes.mute_user(
        owner=request.uid,
        other=uid,
        until=muted_until,
        shows_notifications=request.inputs["notifications"] is False,
    )
    return current_relationship(request, uid)


class NoteInputs(Inputs):
    comment = TextField(max_length=user_notes.MAX_NOTE_LENGTH)


@endpoint("write:accounts", inputs=NoteInputs, returns=Relationship)
def note(request: ApiRequest, uid: int) -> Any:
    """Save a private note about an account, or delete it if ``comment`` is empty."""
    card_or_404(uid=uid)
    user_notes.save_note(owner=request.uid, other=uid, text=request.inputs["comment"])
    return current_relationship(request, uid)
