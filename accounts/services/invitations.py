"""Create and revoke invitations, and sign up with or without one."""

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
"""Session key that stores the key of the last opened invitation until sign-up."""

OPEN, BY_INVITATION, CLOSED = "open", "invitation", "closed"


def create_invitation(*, actor: User, max_uses: int, expires_at: datetime | None) -> Invitation:
    """Create an invitation. Raises Refused if sign-up is closed.

    Raises RateLimited after too many invitations, except for staff.
    """
    if settings.SIGN_UP_MODE == CLOSED:
        raise Refused(_("You cannot create invitations while sign-ups are closed."))
    with rate_limits.limited_action(
        action="invitation", subject=actor.pk, times=0 if actor.is_staff else 1
    ):
        return Invitation.objects.create(
            created_by_id=actor.pk, max_uses=max_uses, expires_at=expires_at
        )


def revoke_invitation(*, invitation_id: int, actor: User) -> bool:
    """Revoke an invitation that the actor created.

    Return False if another user created the invitation or it was already revoked.
    """
    own = Invitation.objects.filter(pk=invitation_id, created_by=actor.pk, revoked_at=None)
    return bool(own.update(revoked_at=timezone.now()))


@transactional()
def sign_up(*, user: User, invitation_key: str) -> None:
    """Save a new user and count the use of the invitation. Either both are saved or neither.

    Pass "" for a sign-up without an invitation. If two users sign up at once, only one of them gets the
    last use. Raises Refused, and IntegrityError if a concurrent sign-up took the username.
    """
    usable = Invitation.objects.filter(Invitation.usable_filter(), key=invitation_key)
    is_invited = bool(usable.update(use_count=F("use_count") + 1)) if invitation_key else False
    if not is_invited and settings.SIGN_UP_MODE != OPEN:
        raise Refused(_("This invitation is no longer valid. Ask for a new one."))
    user.save(force_insert=True)
    send_on_commit(signals.signed_up, uid=user.pk)
    if is_invited:
        invitation = Invitation.objects.get(key=invitation_key)
        InvitedUser.objects.create(
            user_id=user.pk, inviter_id=invitation.created_by_id, invitation=invitation
        )
