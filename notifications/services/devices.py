"""Browsers and apps that show somebody's notifications while no page is open."""

from collections.abc import Collection

from django.utils import timezone

from notifications.store import endpoints
from notifications.store.endpoints import AppWish

IN_SESSION = "device"
"""Under this name a log-in keeps the id of its browser, which is told nothing more when it ends."""


def add_device(*, owner: int, endpoint: str, p256dh: str, auth: str, label: str) -> str:
    """Safe to repeat. Returns its id. The one with this endpoint is nobody else's from now on; of more than
    ten the oldest go."""
    return endpoints.put(
        owner=owner,
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
        label=label,
        at=timezone.now(),
    )


def remove_device(*, owner: int, id: str) -> None:
    endpoints.delete(owner=owner, ids=[id])


def add_app_device(
    *, owner: int, endpoint: str, p256dh: str, auth: str, label: str, wish: AppWish
) -> None:
    """As ``add_device``, for an app; its token has no other endpoint from now on."""
    endpoints.put(
        owner=owner,
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
        label=label,
        at=timezone.now(),
        app=wish,
    )


def change_app_device(*, token: int, alerts: Collection[str], policy: str) -> bool:
    """What an app is told of, and by whom. False if it has no endpoint."""
    return endpoints.change_wish(token=token, alerts=alerts, policy=policy)


def remove_app_device(*, token: int) -> None:
    endpoints.delete_of_token(token=token)
