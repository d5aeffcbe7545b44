"""Where somebody is logged in."""

from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession

from accounts.devices import device
from accounts.models import User


@dataclass(frozen=True, slots=True)
class SessionView:
    id: int
    device: str
    address: str
    since: datetime
    last_seen: datetime
    is_this: bool


def sessions_of(*, user: User, key: str) -> list[SessionView]:
    """This one (of ``key``) first, then the last used. Records of those that have ended are deleted."""
    found = [
        SessionView(
            id=one.pk,
            device=device(user_agent=one.user_agent),
            address=one.ip,
            since=one.created_at,
            last_seen=one.last_seen_at,
            is_this=one.session_key == key,
        )
        for one in UserSession.objects.purge_and_list(user)
    ]
    return sorted(found, key=lambda one: (one.is_this, one.last_seen), reverse=True)
