"""Where somebody is logged in."""

from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession

from accounts.infra.user_agents import describe_device
from accounts.models import User


@dataclass(frozen=True, slots=True)
class SessionRow:
    id: int
    device: str
    address: str
    logged_in_at: datetime
    last_seen_at: datetime
    is_current: bool


def user_sessions(*, user: User, session_key: str) -> list[SessionRow]:
    """This one (of ``key``) first, then the last used. Records of those that have ended are deleted."""
    found = [
        SessionRow(
            id=one.pk,
            device=describe_device(user_agent=one.user_agent),
            address=one.ip,
            logged_in_at=one.created_at,
            last_seen_at=one.last_seen_at,
            is_current=one.session_key == session_key,
        )
        for one in UserSession.objects.purge_and_list(user)
    ]
    return sorted(found, key=lambda one: (one.is_current, one.last_seen_at), reverse=True)
