"""How the library's answers differ here."""

import hashlib
from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from .models import AccessToken, Grant


class Validator(OAuth2Validator):
    def validate_grant_type(
        self, client_id: str, grant_type: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """The library knows more of them, and fails on those that it has no client for."""
        return grant_type in ("authorization_code", "client_credentials")

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """A code that comes again may have been stolen: its token is revoked (RFC 6749, 4.1.2)."""
        is_good: bool = super().validate_code(client_id, code, client, request, *args, **kwargs)
        if not is_good:
            AccessToken.objects.filter(code_digest=_digest(code), application=client).delete()
        return is_good

    def _create_access_token(
        self, expires: Any, request: Any, token: Any, source_refresh_token: Any = None
    ) -> AccessToken:
        made: AccessToken = super()._create_access_token(
            expires, request, token, source_refresh_token
        )
        if request.grant_type == "authorization_code":
            made.code_digest = _digest(request.code)
            made.save(update_fields=["code_digest"])
        return made

    def get_code_challenge(self, code: str, request: Any) -> str | None:
        """Who brings a verifier has sent a challenge: if the code has none, somebody has taken it out on
        the way (RFC 9700, 2.1.1)."""
        challenge: str | None = _code(request).code_challenge or None
        if challenge is None and request.code_verifier is not None:
            raise errors.InvalidGrantError(request=request)
        return challenge

    def get_code_challenge_method(self, code: str, request: Any) -> str | None:
        return _code(request).code_challenge_method or None

    def confirm_redirect_uri(
        self,
        client_id: str,
        code: str,
        redirect_uri: str,
        client: Any,
        request: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        allowed: bool = _code(request).redirect_uri_allowed(redirect_uri)
        return allowed

    def save_bearer_token(self, token: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        """The code goes first: of two who come with it at once, only one gets a token."""
        if request.grant_type == "authorization_code":
            gone, _each = Grant.objects.filter(
                code=request.code, application=request.client
            ).delete()
            if not gone:
                raise errors.InvalidGrantError(request=request)
        return super().save_bearer_token(token, request, *args, **kwargs)

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Any, *args: Any, **kwargs: Any
    ) -> None:
        """It is gone already."""

    def validate_user(self, *args: Any, **kwargs: Any) -> bool:
        return False  # nobody gives an app their password


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _code(request: Any) -> Grant:
    """That of the request; somebody else may have used it up since it was looked at."""
    found: Grant | None = Grant.objects.filter(
        code=request.code, application=request.client
    ).first()
    if found is None:
        raise errors.InvalidGrantError(request=request)
    return found
