"""Where an app is reached while it is closed (https://docs.joinmastodon.org/methods/push/): one endpoint
for each token. Sites without a key for it (``WEB_PUSH_PRIVATE_KEY``) have none."""

from typing import Any, TypedDict

from django.conf import settings
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.api import ApiRequest, Inputs, endpoint
from accounts.refusals import Refused
from feed.api.entities import EMPTY, Nothing
from feed.api.entities.values import Url
from notifications import selectors, services
from notifications.kinds import kinds
from notifications.pushing import addresses, keys
from notifications.selectors import AppWish, Device
from notifications.store.endpoints import ALL, FOLLOWED, FOLLOWER, NONE

NEVER = ("poll", "update", "quote", "quoted_update", "admin.sign_up", "admin.report")
"""Types of which there is nothing here; apps may ask for them all the same."""

POLICIES = (ALL, FOLLOWED, FOLLOWER, NONE)


class WebPushSubscription(TypedDict):
    """https://docs.joinmastodon.org/entities/WebPushSubscription/"""

    id: int
    endpoint: Url
    standard: bool
    alerts: dict[str, bool]
    policy: str
    server_key: str


class CannotPush(Refused):
    """The message is for the person."""


class Keys(Inputs):
    """In base64, of whichever alphabet."""

    p256dh = serializers.CharField(max_length=200)
    auth = serializers.CharField(max_length=200)

    def validate_p256dh(self, text: str) -> str:
        return self._checked(text, keys.checked_point)

    def validate_auth(self, text: str) -> str:
        return self._checked(text, keys.checked_auth)

    def _checked(self, text: str, check: Any) -> str:
        try:
            return str(check(text=text.replace("+", "-").replace("/", "_")))
        except keys.BadKey as error:
            raise serializers.ValidationError(str(error)) from error


class Subscription(Inputs):
    endpoint = serializers.CharField(max_length=addresses.LONGEST)
    keys = Keys()
    standard = serializers.BooleanField(required=False, default=False)

    def validate_endpoint(self, text: str) -> str:
        if not addresses.is_allowed(endpoint=text):
            raise serializers.ValidationError(_("This site sends nothing to that push service."))
        return text


class Wish(Inputs):
    alerts = serializers.DictField(
        child=serializers.BooleanField(), required=False, default=dict, allow_empty=True
    )
    policy = serializers.ChoiceField(choices=POLICIES, required=False)


class NewSubscription(Inputs):
    subscription = Subscription()
    data = Wish(required=False)  # type: ignore[assignment]
    policy = serializers.ChoiceField(choices=POLICIES, required=False)


class ChangedSubscription(Inputs):
    data = Wish(required=False)  # type: ignore[assignment]
    policy = serializers.ChoiceField(choices=POLICIES, required=False)


@endpoint("push", takes=NewSubscription, returns=WebPushSubscription)
def create(request: ApiRequest) -> Any:
    """Tell this app of notifications, at this address from now on. 422 where the site sends none."""
    if not keys.is_on():
        raise CannotPush(_("This site sends nothing to devices."))
    told, wish = request.given["subscription"], request.given.get("data", {})
    token: Any = request.auth
    services.add_app_device(
        owner=request.uid,
        endpoint=told["endpoint"],
        **told["keys"],
        label=token.application.name,
        wish=AppWish(
            token=token.pk,
            alerts=_alerts(wish),
            policy=request.given.get("policy") or wish.get("policy", ALL),
            is_standard=told["standard"],
        ),
    )
    return _subscription(*_found(request))


@endpoint("push", returns=WebPushSubscription)
def show(request: ApiRequest) -> Any:
    """Where this app is told of notifications, and of which."""
    return _subscription(*_found(request))


@endpoint("push", takes=ChangedSubscription, returns=WebPushSubscription)
def change(request: ApiRequest) -> Any:
    """Of which notifications this app is told."""
    _device, before = _found(request)
    wish = request.given.get("data", {})
    policy = request.given.get("policy") or wish.get("policy") or before.policy
    services.change_app_device(token=before.token, alerts=_alerts(wish), policy=policy)
    return _subscription(*_found(request))


@endpoint("push", returns=Nothing)
def delete(request: ApiRequest) -> Any:
    """Tell this app nothing more; so it is where it was told nothing."""
    token: Any = request.auth
    services.remove_app_device(token=token.pk)
    return EMPTY


def _alerts(wish: dict[str, Any]) -> frozenset[str]:
    return frozenset(name for name, is_on in wish.get("alerts", {}).items() if is_on) & _types()


def _types() -> frozenset[str]:
    return frozenset({one.app_type for one in kinds()} - {""} | {*NEVER})


def _found(request: ApiRequest) -> tuple[Device, AppWish]:
    token: Any = request.auth
    found = selectors.device_of_token(token=token.pk) if keys.is_on() else None
    if found is None or found.app is None:
        raise Http404("No subscription.")
    return found, found.app


def _subscription(device: Device, wish: AppWish) -> WebPushSubscription:
    public = keys.public_key(private=settings.WEB_PUSH_PRIVATE_KEY)
    return {
        # A number of 32 bits: most apps read nothing else here.
        "id": wish.token % 2**31,
        "endpoint": device.endpoint,
        "standard": wish.is_standard,
        "alerts": {name: name in wish.alerts for name in sorted(_types())},
        "policy": wish.policy,
        "server_key": public + "=" * (-len(public) % 4),
    }
