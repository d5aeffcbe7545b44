"""Authentication of API requests by token.

The API ignores session cookies. Otherwise another site's page could send requests in the name of the user
whose browser shows the page.
"""

from allauth.account import app_settings
from allauth.account.utils import has_verified_email
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.selectors.access_tokens import INVALID_TOKEN, find_access_token


class BearerAuthentication(BaseAuthentication):
    """Authentication by the ``Authorization`` header: at most one command.

    An app-only token is treated as anonymous. Only requests that change nothing use the cache.
    """

    may_use_cache = True

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, AccessToken] | None:
        token = self.read_token(request)
        if token is None:
            return None
        access_token = find_access_token(
            token=token, is_fresh=request.method not in SAFE_METHODS or not self.may_use_cache
        )
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
    """Also accept the token in the query as ``access_token``. ``EventSource`` cannot send headers.

    Streams are open for long, so they never begin with a cached token.
    """

    may_use_cache = False

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
