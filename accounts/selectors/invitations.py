"""Invitations, for visitors who open a link and for the users who created them."""

from accounts.blocklists.models import INVITATION_KEY_LENGTH, Invitation
from accounts.user_cards import UserCard, find_card

MAX_LISTED = 50
"""Maximum length of the list. Older invitations have mostly expired, and moderators find them in the
admin."""


def find_usable_invitation(*, key: str) -> Invitation | None:
    """Return the invitation with this key, or None if the invitation is unusable. One command."""
    if len(key) != INVITATION_KEY_LENGTH:
        return None
    invitation = Invitation.objects.filter(key=key).first()
    return invitation if invitation is not None and invitation.is_usable else None


def inviter_card(*, invitation: Invitation) -> UserCard | None:
    """Return the card of the invitation's creator, or None if the creator is inactive or deleted."""
    return find_card(uid=invitation.created_by_id)


def created_invitations(*, uid: int) -> list[Invitation]:
    """Return the invitations a user created, newest first."""
    return list(Invitation.objects.filter(created_by=uid).order_by("-pk")[:MAX_LISTED])
