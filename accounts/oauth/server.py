"""The OAuth server. It supports two grant types: authorization codes and client credentials.

Access tokens do not expire, so the server issues no refresh tokens.
"""

from typing import Any

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
