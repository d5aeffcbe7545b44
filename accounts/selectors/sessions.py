"""The devices on which a user is logged in."""

from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession

from accounts.models import User
from accounts.user_agents import describe_device


@dataclass(frozen=True, slots=True)
class SessionRow:
    id: int
    device: str
    address: str
    logged_in_at: datetime
    last_seen_at: datetime
    is_current: bool


def user_sessions(*, user: User, session_key: str) -> list[SessionRow]:
    """Return the user's sessions. Deletes the rows of ended sessions.

    The session with ``session_key`` comes first, then the most recently used session.
    """
    rows = [
        SessionRow(
            id=session.pk,
            device=describe_device(user_agent=session.user_agent),
            address=session.ip,
            logged_in_at=session.created_at,
            last_seen_at=session.last_seen_at,
            is_current=session.session_key == session_key,
        )
        for session in UserSession.objects.purge_and_list(user)
    ]
    return sorted(rows, key=lambda row: (row.is_current, row.last_seen_at), reverse=True)
