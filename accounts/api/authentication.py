"""Who calls: the token says it. Sessions count for pages only, so no page makes a browser call the API."""

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


class BearerAuthentication(BaseAuthentication):
    """Two commands. The user of a token that an app has for itself is nobody."""

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, AccessToken] | None:
        token = self.read_token(request)
        if token is None:
            return None
        found = find_access_token(token=token)
        if found is None:
            raise AuthenticationFailed(INVALID_TOKEN)
        if found.user is None:
            return AnonymousUser(), found
        if not found.user.is_active:
            raise PermissionDenied(_("Your account is closed at the moment. Log in to see why."))
        if not has_confirmed_email(user=found.user):
            return AnonymousUser(), found
        return found.user, found

    def read_token(self, request: Request) -> str | None:
        """None if there is none."""
        scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="API"'


class StreamAuthentication(BearerAuthentication):
    """Also by ``access_token`` in the address: a browser's ``EventSource`` sends no header."""

    def read_token(self, request: Request) -> str | None:
        return super().read_token(request) or request.query_params.get("access_token")


def has_confirmed_email(*, user: User) -> bool:
    """Whether the person has confirmed an address, where that must be before they log in. Until then their
    token answers as one of nobody, as does what somebody gets who signs up with the address of another."""
    if app_settings.EMAIL_VERIFICATION != app_settings.EmailVerificationMethod.MANDATORY:
        return True
    # Who has logged in once has confirmed it: one command only for those who came by an app.
    return user.last_login is not None or has_verified_email(user)


def find_access_token(*, token: str) -> Any:
    """The valid token; None if there is none."""
    checksum = hashlib.sha256(token.encode()).hexdigest()
    found = AccessToken.objects.filter(token_checksum=checksum).first()
    return found if found is not None and found.is_valid() else None
