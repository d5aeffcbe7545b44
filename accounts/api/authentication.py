"""Authentication of API requests by token.

The API ignores session cookies. Otherwise another site's page could send requests in the name of the user
whose browser shows the page.
"""

import hashlib
from typing import Any

from allauth.account import app_settings
from allauth.account.utils import has_verified_email
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from accounts.infra.api.errors import INVALID_TOKEN
from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.store import sessions


class BearerAuthentication(BaseAuthentication):
    """Authentication by the ``Authorization`` header: two commands.

    An app-only token is treated as anonymous.
    """

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, AccessToken] | None:
        token = self.read_token(request)
        if token is None:
            return None
        access_token = find_access_token(token=token)
        if access_token is None:
            raise AuthenticationFailed(INVALID_TOKEN)
        if access_token.user is None:
            return AnonymousUser(), access_token
        if not access_token.user.is_active:
            raise PermissionDenied(_("Your account is not active. Log in to see why."))
        if not has_confirmed_email(user=access_token.user):
            return AnonymousUser(), access_token
        return access_token.user, access_token

    def read_token(self, request: Request) -> str | None:
        """Return the token in the request, or None if the request has no token."""
        scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="API"'


class StreamAuthentication(BearerAuthentication):
    """Also accept the token in the query as ``access_token``. ``EventSource`` cannot send headers."""

    def read_token(self, request: Request) -> str | None:
        return super().read_token(request) or request.query_params.get("access_token")


def has_confirmed_email(*, user: User) -> bool:
    """Return whether the user has confirmed an email address. Always true if the site does not require it.

    Without a confirmed address, the token of a new user is treated as anonymous. A client that signs up
    with another user's address also gets an anonymous token, so the client cannot find out that the address
    is taken.
    """
    if app_settings.EMAIL_VERIFICATION != app_settings.EmailVerificationMethod.MANDATORY:
        return True
    # A user who has logged in on the site has a confirmed address. Only users who signed up in an app cost
    # a query.
    return user.last_login is not None or has_verified_email(user)


def find_access_token(*, token: str) -> Any:
    """Return the token if it is valid, or None."""
    checksum = hashlib.sha256(token.encode()).hexdigest()
    document = sessions.find_access_token(checksum=checksum)
    if document is None:
        return None
    access_token = sessions.instance_of(AccessToken, document)
    if not access_token.is_valid():
        return None
    user = sessions.find_user(uid=access_token.user_id) if access_token.user_id else None
    if user is not None:
        access_token.user = sessions.instance_of(User, user)
    return access_token
