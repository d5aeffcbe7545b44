"""The append-only log of moderation events."""

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
    """Record an event, in the same transaction as the change. ``actor`` is None for the site itself."""
    AuditEntry.objects.create(
        actor=actor.pk if actor else 0,
        verb=event,
        user_id=user_id,
        case=case_id,
        action=action_id,
        details=details[:2000],
    )
