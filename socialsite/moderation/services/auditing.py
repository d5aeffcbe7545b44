"""The log of what moderators do."""

from accounts.models import User
from socialsite.moderation.models import AuditEntry


def note(
    *,
    actor: User | None,
    verb: str,
    person: int = 0,
    case: int | None = None,
    action: int | None = None,
    words: str = "",
) -> None:
    """Add a line; inside the transaction of what it tells of. ``actor`` None: the site itself."""
    AuditEntry.objects.create(
        actor=actor.pk if actor else 0,
        verb=verb,
        person=person,
        case=case,
        action=action,
        words=words[:2000],
    )
