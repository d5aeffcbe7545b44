"""Which ways lead to a token: a code from a person, or the app's own secret. Nothing else is offered.

Tokens of people last until somebody revokes them, so there are no refresh tokens.
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
        codes = AuthorizationCodeGrant(request_validator, refresh_token=False)
        own = ClientCredentialsGrant(request_validator)
        bearer = BearerToken(
            request_validator, token_generator, token_expires_in, refresh_token_generator
        )
        AuthorizationEndpoint.__init__(
            self,
            default_response_type="code",
            response_types={"code": codes},
            default_token_type=bearer,
        )
        TokenEndpoint.__init__(
            self,
            default_grant_type="authorization_code",
            grant_types={"authorization_code": codes, "client_credentials": own},
            default_token_type=bearer,
        )
        ResourceEndpoint.__init__(
            self,
            default_token="Bearer",  # noqa: S106 - its kind
            token_types={"Bearer": bearer},
        )
        RevocationEndpoint.__init__(self, request_validator)
