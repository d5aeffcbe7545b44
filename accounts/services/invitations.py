"""Make and revoke invitations, and make accounts, by one of them or without."""

from datetime import datetime

from django.conf import settings
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import signals
from accounts.blocklists.models import Invitation, InvitedUser
from accounts.infra import rate_limits
from accounts.infra.refusals import Refused
from accounts.infra.transactions import send_on_commit, transactional
from accounts.models import User

INVITATION_SESSION_KEY = "invitation"
"""In the session of who signs up: the key of the invitation they have opened."""

OPEN, BY_INVITATION, CLOSED = "open", "invitation", "closed"


class CannotInvite(Refused):
    """Inviting is refused; the message is for the person."""


class InvitationNotUsable(Refused):
    """There is no good invitation, where one is needed; the message is for the person."""


def create_invitation(*, actor: User, max_uses: int, expires_at: datetime | None) -> Invitation:
    """A new invitation. Raises CannotInvite where nobody can sign up, TooMany for who makes very many;
    staff may make any number."""
    if settings.SIGN_UP == CLOSED:
        raise CannotInvite(_("No new accounts can be made right now, also not by invitation."))
    with rate_limits.limited_action(
        action="invitation", subject=actor.pk, times=0 if actor.is_staff else 1
    ):
        return Invitation.objects.create(
            made_by_id=actor.pk, most_uses=max_uses, expires_at=expires_at
        )


def revoke_invitation(*, invitation_id: int, actor: User) -> bool:
    """Nobody comes by it any more; False if it is not one of the actor's own, or was revoked."""
    own = Invitation.objects.filter(pk=invitation_id, made_by=actor.pk, revoked_at=None)
    return bool(own.update(revoked_at=timezone.now()))


@transactional()
def sign_up(*, user: User, invitation_key: str) -> None:
    """Make this account, new and not saved, by the invitation with this ``key`` ("": none).

    Both or none of it: an account that cannot be made uses up nothing, and of two people at once only one
    comes by the last use. Raises NotInvited, IntegrityError if the name was taken meanwhile.
    """
    good = Invitation.objects.filter(Invitation.usable_filter(), key=invitation_key)
    used = good.update(uses=F("uses") + 1) if invitation_key else 0
    if not used and settings.SIGN_UP != OPEN:
        raise InvitationNotUsable(_("This invitation is not good any more. Ask for another one."))
    user.save(force_insert=True)
    send_on_commit(signals.signed_up, uid=user.pk)
    if used:
        invitation = Invitation.objects.get(key=invitation_key)
        InvitedUser.objects.create(
            person_id=user.pk, invited_by_id=invitation.made_by_id, invitation=invitation
        )
