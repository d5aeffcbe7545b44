"""The OAuth server. It supports two grant types: authorization codes and client credentials.

Access tokens do not expire, so the server issues no refresh tokens.
"""

import hashlib
from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2 import (
    AuthorizationCodeGrant,
    AuthorizationEndpoint,
    BearerToken,
    ClientCredentialsGrant,
    RequestValidator,
    ResourceEndpoint,
    RevocationEndpoint,
    TokenEndpoint,
)
from oauthlib.oauth2.rfc6749 import errors

from .models import AccessToken, Grant


class Server(AuthorizationEndpoint, TokenEndpoint, ResourceEndpoint, RevocationEndpoint):
    def __init__(
        self,
        request_validator: RequestValidator,
        token_expires_in: Any = None,
        token_generator: Any = None,
        refresh_token_generator: Any = None,
        **kwargs: Any,
    ) -> None:
        code_grant = AuthorizationCodeGrant(request_validator, refresh_token=False)
        credentials_grant = ClientCredentialsGrant(request_validator)
        bearer_token = BearerToken(
            request_validator, token_generator, token_expires_in, refresh_token_generator
        )
        AuthorizationEndpoint.__init__(
            self,
            default_response_type="code",
            response_types={"code": code_grant},
            default_token_type=bearer_token,
        )
        TokenEndpoint.__init__(
            self,
            default_grant_type="authorization_code",
            grant_types={"authorization_code": code_grant, "client_credentials": credentials_grant},
            default_token_type=bearer_token,
        )
        ResourceEndpoint.__init__(
            self,
            default_token="Bearer",  # noqa: S106 - the type of the token
            token_types={"Bearer": bearer_token},
        )
        RevocationEndpoint.__init__(self, request_validator)


class Validator(OAuth2Validator):
    def validate_grant_type(
        self, client_id: str, grant_type: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Refuse unsupported grant types early, because the library raises an error on some of them."""
        return grant_type in ("authorization_code", "client_credentials")

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Check the code. If the code is invalid, delete the token that was issued for the code.

        A code that is used twice may have been stolen, and the token with it (RFC 6749, 4.1.2).
        """
        is_valid: bool = super().validate_code(client_id, code, client, request, *args, **kwargs)
        if not is_valid:
            AccessToken.objects.filter(code_digest=_digest(code), application=client).delete()
        return is_valid

    def _create_access_token(
        self, expires: Any, request: Any, token: Any, source_refresh_token: Any = None
    ) -> AccessToken:
        """Store token and code digest in one write, so that a second use of the code finds the token."""
        access_token = AccessToken(
            user=request.user,
            application=request.client,
            scope=token["scope"],
            expires=expires,
            code_digest=_digest(request.code) if request.grant_type == "authorization_code" else "",
        )
        self._set_token_value(access_token, token["access_token"])
        access_token.save()
        return access_token

    def get_code_challenge(self, code: str, request: Any) -> str | None:
        """Return the code challenge of the authorization code, or None.

        A client that sends a verifier has sent a challenge before. If the authorization code has no
        challenge, an attacker has removed it, and the request is refused (RFC 9700, 2.1.1).
        """
        challenge: str | None = _request_grant(request).code_challenge or None
        if challenge is None and request.code_verifier is not None:
            raise errors.InvalidGrantError(request=request)
        return challenge

    def get_code_challenge_method(self, code: str, request: Any) -> str | None:
        return _request_grant(request).code_challenge_method or None

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
        allowed: bool = _request_grant(request).redirect_uri_allowed(redirect_uri)
        return allowed

    def save_bearer_token(self, token: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Delete the code, then issue the token. Of two concurrent requests, only one deletes the code."""
        if request.grant_type == "authorization_code":
            deleted_count, _by_model = Grant.objects.filter(
                code=request.code, application=request.client
            ).delete()
            if not deleted_count:
                raise errors.InvalidGrantError(request=request)
        return super().save_bearer_token(token, request, *args, **kwargs)

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Do nothing, because ``save_bearer_token`` has already deleted the code."""

    def validate_user(self, *args: Any, **kwargs: Any) -> bool:
        return False  # the password grant is not supported


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _request_grant(request: Any) -> Grant:
    """Return the grant of the authorization code. Raises InvalidGrantError.

    A concurrent request may have used the code after the library validated the code for this request.
    """
    grant: Grant | None = Grant.objects.filter(
        code=request.code, application=request.client
    ).first()
    if grant is None:
        raise errors.InvalidGrantError(request=request)
    return grant
