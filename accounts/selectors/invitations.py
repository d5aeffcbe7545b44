"""Invitations: by their key for who comes, and in a list for who has made them."""

from accounts.blocklists.models import INVITATION_KEY_LENGTH, Invitation
from accounts.user_cards import UserCard, find_card

MAX_LISTED = 50
"""The newest; older ones are over, or are found by moderators."""


def find_usable_invitation(*, key: str) -> Invitation | None:
    """The invitation with this key, if somebody may still come by it: one command."""
    if len(key) != INVITATION_KEY_LENGTH:
        return None
    found = Invitation.objects.filter(key=key).first()
    return found if found is not None and found.is_usable else None


def inviter_card(*, invitation: Invitation) -> UserCard | None:
    """Who has made it; None if they are gone."""
    return find_card(uid=invitation.made_by_id)


def created_invitations(*, uid: int) -> list[Invitation]:
    """Those that somebody has made, the newest first."""
    return list(Invitation.objects.filter(made_by=uid).order_by("-pk")[:MAX_LISTED])
