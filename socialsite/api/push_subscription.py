"""Push subscriptions of apps (https://docs.joinmastodon.org/methods/push/): at most one per token.

Sites without ``WEB_PUSH_PRIVATE_KEY`` do not support push.
"""

from typing import Any, TypedDict

from django.conf import settings
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.refusals import Refused
from notifications.kinds import kinds
from notifications.push import allowed_endpoints, keys
from notifications.store import devices

from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import Inputs
from .serializers.values import EmptyObject, Url

UNSUPPORTED_TYPES = ("admin.sign_up", "admin.report")
"""Types that this site never sends. Apps may request them."""

POLICIES = (devices.ALL, devices.FOLLOWED, devices.FOLLOWERS, devices.NONE)


class WebPushSubscription(TypedDict):
    """https://docs.joinmastodon.org/entities/WebPushSubscription/"""

    id: int
    endpoint: Url
    standard: bool
    alerts: dict[str, bool]
    policy: str
    server_key: str


class KeysInputs(Inputs):
    """Keys in base64, with the standard or the URL-safe alphabet."""

    p256dh = serializers.CharField(max_length=200)
    auth = serializers.CharField(max_length=200)

    def validate_p256dh(self, text: str) -> str:
        return self._clean_key(text, keys.clean_public_key)

    def validate_auth(self, text: str) -> str:
        return self._clean_key(text, keys.clean_auth_secret)

    def _clean_key(self, text: str, clean: Any) -> str:
        try:
            return str(clean(text=text.replace("+", "-").replace("/", "_")))
        except keys.InvalidKey as error:
            raise serializers.ValidationError(str(error)) from error


class EndpointInputs(Inputs):
    endpoint = serializers.CharField(max_length=allowed_endpoints.MAX_ENDPOINT_LENGTH)
    keys = KeysInputs()
    standard = serializers.BooleanField(required=False, default=False)

    def validate_endpoint(self, text: str) -> str:
        if not allowed_endpoints.is_allowed_endpoint(endpoint=text):
            raise serializers.ValidationError(_("This site does not support that push service."))
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
    """Send push notifications to this endpoint. Answers 422 if the site does not support push."""
    if not keys.is_push_enabled():
        raise Refused(_("This site does not send push notifications."))
    subscription, alert_settings = request.inputs["subscription"], request.inputs.get("data", {})
    devices.save_device(
        owner=request.uid,
        endpoint=subscription["endpoint"],
        **subscription["keys"],
        label=request.token.application.name,
        now=timezone.now(),
        app_alerts=devices.AppAlerts(
            token_id=request.token.pk,
            alerts=_enabled_types(alert_settings),
            policy=request.inputs.get("policy") or alert_settings.get("policy", devices.ALL),
            is_standard=subscription["standard"],
        ),
    )
    return _subscription(*_find_or_404(request))


@endpoint("push", returns=WebPushSubscription)
def show_subscription(request: ApiRequest) -> Any:
    """Return the push subscription."""
    return _subscription(*_find_or_404(request))


@endpoint("push", inputs=UpdateInputs, returns=WebPushSubscription)
def update_subscription(request: ApiRequest) -> Any:
    """Change which notifications are pushed."""
    _device, app_alerts = _find_or_404(request)
    alert_settings = request.inputs.get("data", {})
    policy = request.inputs.get("policy") or alert_settings.get("policy") or app_alerts.policy
    devices.update_app_alerts(
        token=app_alerts.token_id, alerts=_enabled_types(alert_settings), policy=policy
    )
    return _subscription(*_find_or_404(request))


@endpoint("push", returns=EmptyObject)
def delete_subscription(request: ApiRequest) -> None:
    """Delete the push subscription. Succeeds even if there is none."""
    devices.delete_token_device(token=request.token.pk)


def _enabled_types(alert_settings: dict[str, Any]) -> frozenset[str]:
    return (
        frozenset(name for name, is_on in alert_settings.get("alerts", {}).items() if is_on)
        & _known_types()
    )


def _known_types() -> frozenset[str]:
    return frozenset({kind.api_type for kind in kinds()} - {""} | {*UNSUPPORTED_TYPES})


def _find_or_404(request: ApiRequest) -> tuple[devices.Device, devices.AppAlerts]:
    device = devices.device_of_token(token=request.token.pk) if keys.is_push_enabled() else None
    if device is None or device.app_alerts is None:
        raise Http404("No subscription.")
    return device, device.app_alerts


def _subscription(device: devices.Device, app_alerts: devices.AppAlerts) -> WebPushSubscription:
    public_key = keys.public_key(private=settings.WEB_PUSH_PRIVATE_KEY)
    return {
        # Apps expect a 32-bit number. Collisions do not matter, because no request refers to this id.
        "id": app_alerts.token_id % 2**31,
        "endpoint": device.endpoint,
        "standard": app_alerts.is_standard,
        "alerts": {name: name in app_alerts.alerts for name in sorted(_known_types())},
        "policy": app_alerts.policy,
        "server_key": public_key + "=" * (-len(public_key) % 4),
    }
