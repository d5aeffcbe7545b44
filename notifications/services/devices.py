"""Browsers and apps that show notifications while no page is open."""

from collections.abc import Collection

from django.utils import timezone

from notifications.store import devices
from notifications.store.devices import AppAlerts

DEVICE_SESSION_KEY = "device"
"""The key in the session for the device id of the browser. Logging out removes this device."""


def add_device(*, owner: int, endpoint: str, p256dh: str, auth: str, label: str) -> str:
    """Save a browser and return its device id. Safe to repeat.

    If another user registered the endpoint before, that user loses the device. The oldest devices beyond
    ten are deleted.
    """
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
    *, owner: int, endpoint: str, p256dh: str, auth: str, label: str, app_alerts: AppAlerts
) -> None:
    """Save the endpoint of an app. The endpoint replaces any other endpoint of the same token."""
    devices.save_device(
        owner=owner,
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
        label=label,
        now=timezone.now(),
        app_alerts=app_alerts,
    )


def update_app_device(*, token_id: int, alerts: Collection[str], policy: str) -> bool:
    """Change the alerts and the policy of an app. Returns False if the token has no endpoint."""
    return devices.update_app_alerts(token=token_id, alerts=alerts, policy=policy)


def remove_app_device(*, token_id: int) -> None:
    devices.delete_token_device(token=token_id)
