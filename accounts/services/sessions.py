"""Where somebody is logged in, and how that ends."""

from allauth.usersessions.models import UserSession
from django.db.models import QuerySet

MAX_SESSIONS = 10
"""Log-ins of one person; the oldest end."""


def end_session(*, uid: int, session_id: int) -> bool:
    """False if it is not one of this person's, or has ended."""
    return _end(UserSession.objects.filter(pk=session_id, user_id=uid)) > 0


def end_sessions(*, uid: int, except_key: str = "") -> None:
    """All but the one with this key."""
    _end(UserSession.objects.filter(user_id=uid).exclude(session_key=except_key))


def end_oldest_sessions(*, uid: int) -> None:
    """Those for which there is no room."""
    _end(UserSession.objects.filter(user_id=uid).order_by("-last_seen_at", "-pk")[MAX_SESSIONS:])


def _end(sessions: QuerySet[UserSession]) -> int:
    found = list(sessions)
    for session in found:
        session.end()
    return len(found)
