"""Browsers and apps that show somebody's notifications while no page is open."""

from collections.abc import Collection

from django.utils import timezone

from notifications.store import devices
from notifications.store.devices import AppAlerts

DEVICE_SESSION_KEY = "device"
"""Under this name a log-in keeps the id of its browser, which is told nothing more when it ends."""


def add_device(*, owner: int, endpoint: str, p256dh: str, auth: str, label: str) -> str:
    """Safe to repeat. Returns its id. The one with this endpoint is nobody else's from now on; of more than
    ten the oldest go."""
    return devices.save_device(
        owner=owner,
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
        label=label,
        now=timezone.now(),
    )


def remove_device(*, owner: int, device_id: str) -> None:
    devices.delete_devices(owner=owner, device_ids=[device_id])


def add_app_device(
    *, owner: int, endpoint: str, p256dh: str, auth: str, label: str, wish: AppAlerts
) -> None:
    """As ``add_device``, for an app; its token has no other endpoint from now on."""
    devices.save_device(
        owner=owner,
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
        label=label,
        now=timezone.now(),
        app_alerts=wish,
    )


def update_app_device(*, token_id: int, alerts: Collection[str], policy: str) -> bool:
    """What an app is told of, and by whom. False if it has no endpoint."""
    return devices.update_app_alerts(token=token_id, alerts=alerts, policy=policy)


def remove_app_device(*, token_id: int) -> None:
    devices.delete_token_device(token=token_id)
