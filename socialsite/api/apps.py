"""Registration of apps. An app registers before any user logs in with it."""

from typing import Any, NotRequired, TypedDict

from drf_spectacular.drainage import set_override
from rest_framework import serializers

from accounts.infra.client_address import client_network
from accounts.oauth.models import OUT_OF_BAND, Application, is_safe_redirect_uri
from accounts.services import apps

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import Inputs, TextField
from .plumbing.scopes import DEFAULT_SCOPE, unknown_scopes


class App(TypedDict):
    """https://docs.joinmastodon.org/entities/Application/"""

    id: str
    name: str
    website: str | None
    scopes: list[str]
    redirect_uri: str
    redirect_uris: list[str]
    vapid_key: str
    client_id: NotRequired[str]
    client_secret: NotRequired[str]
    client_secret_expires_at: NotRequired[int]


class RedirectUrisField(serializers.ListField):
    """A list of URIs, or a single URI as a string. Nearly all apps send a string."""

    child = serializers.CharField(max_length=2000)

    def __init__(self) -> None:
        super().__init__(min_length=1, max_length=20)
        uri = {"type": "string", "minLength": 1, "maxLength": 2000}
        uris = {"type": "array", "items": uri, "minItems": 1, "maxItems": 20}
        set_override(self, "field", {"anyOf": [uri, uris]})

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value([data] if isinstance(data, str) else data)


class AppInputs(Inputs):
    client_name = TextField(required=True, allow_blank=False, max_length=60, one_line=True)
    redirect_uris = RedirectUrisField()
    scopes = serializers.CharField(required=False, default=DEFAULT_SCOPE, max_length=2000)
    website = serializers.URLField(required=False, allow_blank=True, default="", max_length=2000)

    def validate_redirect_uris(self, lines: list[str]) -> list[str]:
        """Return the URIs as a list. Many apps send several URIs in one string, separated by spaces."""
        uris = [uri for line in lines for uri in line.split()]
        if not uris:
            raise serializers.ValidationError("Enter at least one redirect URI.", code="blank")
        for uri in uris:
            if not is_safe_redirect_uri(uri=uri):
                raise serializers.ValidationError(f"{uri!r} is not a valid redirect URI.")
        return uris

    def validate_scopes(self, scopes: str) -> str:
        if unknown := unknown_scopes(scopes.split()):
            raise serializers.ValidationError(f"There is no scope {unknown[0]!r}.")
        return scopes or DEFAULT_SCOPE


def serialize_app(app: Application) -> App:
    redirect_uris = app.redirect_uris.split()
    return {
        "id": str(app.pk),
        "name": app.name,
        "website": app.website or None,
        "scopes": app.scopes.split(),
        "redirect_uri": "\n".join(redirect_uris) or OUT_OF_BAND,
        "redirect_uris": redirect_uris,
        "vapid_key": "",
    }


@endpoint(caller=Caller.ANYONE, inputs=AppInputs, returns=App)
def register_app(request: ApiRequest) -> Any:
    """Register an app. Only this response contains the client secret."""
    app, secret = apps.register_app(
        name=request.inputs["client_name"],
        redirect_uris=request.inputs["redirect_uris"],
        scopes=request.inputs["scopes"],
        website=request.inputs["website"],
        client_network=client_network(request._request),
    )
    return {
        **serialize_app(app),
        "client_id": app.client_id,
        "client_secret": secret,
        "client_secret_expires_at": 0,
    }


@endpoint(caller=Caller.APP, returns=App)
def verify_app(request: ApiRequest) -> Any:
    """Return the app to which the token belongs."""
    return serialize_app(request.token.application)
