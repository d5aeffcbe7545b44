"""End the sessions of a user."""

from allauth.usersessions.models import UserSession
from django.db.models import QuerySet

MAX_SESSIONS = 10
"""Maximum number of sessions of a user. A further log-in ends the least recently used session."""


def end_session(*, uid: int, session_id: int) -> bool:
    """End one session. Return False if the session has ended or belongs to another user."""
    return _end(UserSession.objects.filter(pk=session_id, user_id=uid)) > 0


def end_sessions(*, uid: int, except_key: str = "") -> None:
    """End all sessions except the one with this key."""
    _end(UserSession.objects.filter(user_id=uid).exclude(session_key=except_key))


def end_oldest_sessions(*, uid: int) -> None:
    """End the sessions beyond ``MAX_SESSIONS``, the least recently used first."""
    _end(UserSession.objects.filter(user_id=uid).order_by("-last_seen_at", "-pk")[MAX_SESSIONS:])


def _end(sessions: QuerySet[UserSession]) -> int:
    ended = list(sessions)
    for session in ended:
        session.end()
    return len(ended)
