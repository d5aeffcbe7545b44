"""Data of one account: authorized apps, sessions, email addresses, and invitations."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.utils.functional import Promise
from oauth2_provider.scopes import get_scopes_backend

from accounts.blocklists.models import INVITATION_KEY_LENGTH, Invitation
from accounts.devices import describe_device
from accounts.models import User
from accounts.oauth.models import AccessToken, Application

MAX_APPS = 100
MAX_INVITATIONS = 50
"""Maximum number of listed invitations. Older ones have mostly expired, and moderators find them in the
admin."""


@dataclass(frozen=True, slots=True)
class AuthorizedApp:
    """An app with access to an account.

    Attributes:
        permissions: descriptions of the granted scopes, in the order of the API's list.
        authorized_at: when the app got its oldest token for this account.
    """

    id: int
    name: str
    website: str
    permissions: list[str | Promise]
    authorized_at: datetime


def authorized_apps(*, uid: int) -> list[AuthorizedApp]:
    """Return the user's apps, the app with the newest token first. Two commands."""
    tokens_by_app: dict[int, list[Any]] = {}
    for token in AccessToken.objects.filter(user=uid).order_by("-pk")[: 10 * MAX_APPS]:
        tokens_by_app.setdefault(token.application_id, []).append(token)
    descriptions = get_scopes_backend().get_all_scopes()
    apps = Application.objects.in_bulk(list(tokens_by_app)[:MAX_APPS])
    return [
        AuthorizedApp(
            id=app_id,
            name=apps[app_id].name,
            website=apps[app_id].website,
            permissions=[
                description
                for scope, description in descriptions.items()
                if any(scope in token.scope.split() for token in tokens)
            ],
            authorized_at=tokens[-1].created,
        )
        for app_id, tokens in tokens_by_app.items()
        if app_id in apps
    ]


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


def confirmed_email(*, uid: int) -> str | None:
    """Return the primary address if confirmed, else another confirmed address, else None.

    Also returns None for inactive users. An unconfirmed address may belong to another person, who must not
    get this user's mail. At most two commands.
    """
    if not User.objects.filter(pk=uid, is_active=True).exists():
        return None
    confirmed = EmailAddress.objects.filter(user_id=uid, verified=True).order_by("-primary")
    address: str | None = confirmed.values_list("email", flat=True).first()
    return address


def email_addresses(*, uid: int) -> list[tuple[str, bool]]:
    """Return (address, is confirmed) for each address of a user, the primary address first."""
    addresses = EmailAddress.objects.filter(user_id=uid).order_by("-primary", "pk")
    return list(addresses.values_list("email", "verified"))


def find_usable_invitation(*, key: str) -> Invitation | None:
    """Return the invitation with this key, or None if the invitation is unusable. One command."""
    if len(key) != INVITATION_KEY_LENGTH:
        return None
    invitation = Invitation.objects.filter(key=key).first()
    return invitation if invitation is not None and invitation.is_usable else None


def created_invitations(*, uid: int) -> list[Invitation]:
    """Return the invitations a user created, newest first."""
    return list(Invitation.objects.filter(created_by=uid).order_by("-pk")[:MAX_INVITATIONS])
