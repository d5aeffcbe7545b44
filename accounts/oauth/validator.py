"""How the library's answers differ here."""

from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from .models import Grant


class Validator(OAuth2Validator):
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
