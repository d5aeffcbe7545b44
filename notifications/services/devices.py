"""Browsers that show somebody's notifications while no page is open."""

from django.utils import timezone

from notifications.store import endpoints

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
