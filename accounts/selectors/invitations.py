"""Invitations: by their key for who comes, and in a list for who has made them."""

from accounts.guards.models import KEY_LENGTH, Invitation
from accounts.user_cards import UserCard, card

LISTED = 50
"""The newest; older ones are over, or are found by moderators."""


def good_invitation(*, key: str) -> Invitation | None:
    """The invitation with this key, if somebody may still come by it: one command."""
    if len(key) != KEY_LENGTH:
        return None
    found = Invitation.objects.filter(key=key).first()
    return found if found is not None and found.is_good else None


def inviter_of(*, invitation: Invitation) -> UserCard | None:
    """Who has made it; None if they are gone."""
    return card(uid=invitation.made_by_id)


def invitations_of(*, uid: int) -> list[Invitation]:
    """Those that somebody has made, the newest first."""
    return list(Invitation.objects.filter(made_by=uid).order_by("-pk")[:LISTED])
