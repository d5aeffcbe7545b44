"""Where an app is reached while it is closed (https://docs.joinmastodon.org/methods/push/): one endpoint
for each token. Sites without a key for it (``WEB_PUSH_PRIVATE_KEY``) have none."""

from typing import Any, TypedDict

from django.conf import settings
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import Inputs
from accounts.infra.refusals import Refused
from feed.api.serializers.values import EMPTY_OBJECT, EmptyObject, Url
from notifications.kinds import kinds
from notifications.push import allowed_endpoints, keys
from notifications.services.devices import add_app_device, remove_app_device, update_app_device
from notifications.store.devices import (
    ALL,
    FOLLOWED,
    FOLLOWERS,
    NONE,
    AppAlerts,
    Device,
    device_of_token,
)

UNSUPPORTED_TYPES = ("poll", "update", "quote", "quoted_update", "admin.sign_up", "admin.report")
"""Types of which there is nothing here; apps may ask for them all the same."""

POLICIES = (ALL, FOLLOWED, FOLLOWERS, NONE)


class WebPushSubscription(TypedDict):
    """https://docs.joinmastodon.org/entities/WebPushSubscription/"""

    id: int
    endpoint: Url
    standard: bool
    alerts: dict[str, bool]
    policy: str
    server_key: str


class PushUnavailable(Refused):
    """The message is for the person."""


class KeysInputs(Inputs):
    """In base64, of whichever alphabet."""

    p256dh = serializers.CharField(max_length=200)
    auth = serializers.CharField(max_length=200)

    def validate_p256dh(self, text: str) -> str:
        return self._checked(text, keys.clean_public_key)

    def validate_auth(self, text: str) -> str:
        return self._checked(text, keys.clean_auth_secret)

    def _checked(self, text: str, check: Any) -> str:
        try:
            return str(check(text=text.replace("+", "-").replace("/", "_")))
        except keys.InvalidKey as error:
            raise serializers.ValidationError(str(error)) from error


class EndpointInputs(Inputs):
    endpoint = serializers.CharField(max_length=allowed_endpoints.MAX_ENDPOINT_LENGTH)
    keys = KeysInputs()
    standard = serializers.BooleanField(required=False, default=False)

    def validate_endpoint(self, text: str) -> str:
        if not allowed_endpoints.is_allowed_endpoint(endpoint=text):
            raise serializers.ValidationError(_("This site sends nothing to that push service."))
        return text


class AlertsInputs(Inputs):
    alerts = serializers.DictField(
        child=serializers.BooleanField(), required=False, default=dict, allow_empty=True
    )
    policy = serializers.ChoiceField(choices=POLICIES, required=False)


class CreateInputs(Inputs):
    subscription = EndpointInputs()
    data = AlertsInputs(required=False)  # type: ignore[assignment]
    policy = serializers.ChoiceField(choices=POLICIES, required=False)


class UpdateInputs(Inputs):
    data = AlertsInputs(required=False)  # type: ignore[assignment]
    policy = serializers.ChoiceField(choices=POLICIES, required=False)


@endpoint("push", inputs=CreateInputs, returns=WebPushSubscription)
def create_subscription(request: ApiRequest) -> Any:
    """Tell this app of notifications, at this address from now on. 422 where the site sends none."""
    if not keys.is_push_enabled():
        raise PushUnavailable(_("This site sends nothing to devices."))
    told, wish = request.inputs["subscription"], request.inputs.get("data", {})
    token: Any = request.auth
    add_app_device(
        owner=request.uid,
        endpoint=told["endpoint"],
        **told["keys"],
        label=token.application.name,
        wish=AppAlerts(
            token_id=token.pk,
            alerts=_alerts(wish),
            policy=request.inputs.get("policy") or wish.get("policy", ALL),
            is_standard=told["standard"],
        ),
    )
    return _subscription(*_found(request))


@endpoint("push", returns=WebPushSubscription)
def show_subscription(request: ApiRequest) -> Any:
    """Where this app is told of notifications, and of which."""
    return _subscription(*_found(request))


@endpoint("push", inputs=UpdateInputs, returns=WebPushSubscription)
def update_subscription(request: ApiRequest) -> Any:
    """Of which notifications this app is told."""
    _device, before = _found(request)
    wish = request.inputs.get("data", {})
    policy = request.inputs.get("policy") or wish.get("policy") or before.policy
    update_app_device(token_id=before.token_id, alerts=_alerts(wish), policy=policy)
    return _subscription(*_found(request))


@endpoint("push", returns=EmptyObject)
def delete_subscription(request: ApiRequest) -> Any:
    """Tell this app nothing more; so it is where it was told nothing."""
    token: Any = request.auth
    remove_app_device(token_id=token.pk)
    return EMPTY_OBJECT


def _alerts(wish: dict[str, Any]) -> frozenset[str]:
    return frozenset(name for name, is_on in wish.get("alerts", {}).items() if is_on) & _types()


def _types() -> frozenset[str]:
    return frozenset({one.api_type for one in kinds()} - {""} | {*UNSUPPORTED_TYPES})


def _found(request: ApiRequest) -> tuple[Device, AppAlerts]:
    token: Any = request.auth
    found = device_of_token(token=token.pk) if keys.is_push_enabled() else None
    if found is None or found.app_alerts is None:
        raise Http404("No subscription.")
    return found, found.app_alerts


def _subscription(device: Device, wish: AppAlerts) -> WebPushSubscription:
    public = keys.public_key(private=settings.WEB_PUSH_PRIVATE_KEY)
    return {
        # A number of 32 bits: most apps read nothing else here.
        "id": wish.token_id % 2**31,
        "endpoint": device.endpoint,
        "standard": wish.is_standard,
        "alerts": {name: name in wish.alerts for name in sorted(_types())},
        "policy": wish.policy,
        "server_key": public + "=" * (-len(public) % 4),
    }
