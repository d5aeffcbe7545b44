"""The log of what moderators do."""

from accounts.models import User
from socialsite.moderation.models import AuditEntry


def record_event(
    *,
    actor: User | None,
    event: str,
    user_id: int = 0,
    case_id: int | None = None,
    action_id: int | None = None,
    details: str = "",
) -> None:
    """Add a line; inside the transaction of what it tells of. ``actor`` None: the site itself."""
    AuditEntry.objects.create(
        actor=actor.pk if actor else 0,
        verb=event,
        person=user_id,
        case=case_id,
        action=action_id,
        words=details[:2000],
    )
