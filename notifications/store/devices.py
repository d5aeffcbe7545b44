"""Devices that show notifications while no page is open (https://www.w3.org/TR/push-api/).

    push_devices {_id, owner, endpoint, p256dh, auth, label, created_at, last_used_at?,
                    app?: {token_id, alerts: [types], policy, is_standard}}

``_id`` is a hash of the endpoint, so a browser belongs to the user who registered the browser last. For
apps, the hash includes the owner, because an app may use one endpoint for several users. ``last_used_at``
is the time when the push service last accepted a message. Only apps have the field ``app``. Each access
token has at most one endpoint.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document, aware, upsert

from .collections import push_devices

MAX_DEVICES = 10
"""Devices per user. Saving another device deletes the oldest device."""

SESSION_KEY = "device"
"""The key in the session for the device id of the browser. Logging out removes this device."""

ALL, FOLLOWED, FOLLOWERS, NONE = "all", "followed", "follower", "none"
"""Policies of an app: push the actions of all users, of followed users, of followers, or of nobody."""


@dataclass(frozen=True, slots=True)
class AppAlerts:
    """The notification settings of an app.

    Attributes:
        alerts: the values of ``Kind.api_type`` to push.
        policy: ``ALL``, ``FOLLOWED``, ``FOLLOWERS`` or ``NONE``.
        is_standard: False for older apps, which use drafts of the Web Push standards.
    """

    token_id: int
    alerts: frozenset[str]
    policy: str
    is_standard: bool


@dataclass(frozen=True, slots=True)
class Device:
    """A browser or an app. ``p256dh`` and ``auth`` are keys in base64url that encrypt its messages."""

    id: str
    owner: int
    endpoint: str
    p256dh: str
    auth: str
    label: str
    created_at: datetime
    last_used_at: datetime | None
    app_alerts: AppAlerts | None = None


def create_indexes() -> None:
    push_devices().create_index([("owner", ASCENDING), ("created_at", DESCENDING)])
    push_devices().create_index([("app.token_id", ASCENDING)], sparse=True)


def save_device(
    *,
    owner: int,
    endpoint: str,
    p256dh: str,
    auth: str,
    label: str,
    now: datetime,
    app_alerts: AppAlerts | None = None,
) -> str:
    """Save a device and return its id. Safe to repeat."""
    key = endpoint if app_alerts is None else f"{owner} {endpoint}"
    device_id = sha256(key.encode()).hexdigest()
    is_same_owner = {"$eq": ["$owner", owner]}
    texts = {"endpoint": endpoint, "p256dh": p256dh, "auth": auth, "label": label}
    change: list[Document] = [
        {
            "$set": {
                "created_at": {"$cond": [is_same_owner, "$created_at", now]},
                "last_used_at": {"$cond": [is_same_owner, "$last_used_at", "$$REMOVE"]},
                "app": "$$REMOVE"
                if app_alerts is None
                else {"$literal": asdict(app_alerts) | {"alerts": sorted(app_alerts.alerts)}},
            }
        },
        {"$set": {"owner": owner} | {name: {"$literal": text} for name, text in texts.items()}},
    ]
    upsert(collection=push_devices(), query={"_id": device_id}, change=change)
    if app_alerts is not None:
        push_devices().delete_many({"app.token_id": app_alerts.token_id, "_id": {"$ne": device_id}})
    newest_first = push_devices().find({"owner": owner}, {"_id": 1}).sort("created_at", DESCENDING)
    if excess_ids := [row["_id"] for row in newest_first.skip(MAX_DEVICES)]:
        push_devices().delete_many({"_id": {"$in": excess_ids}, "owner": owner})
    return device_id


def devices_of(*, owner: int) -> list[Device]:
    """Return a user's devices, newest first."""
    return [
        _device(document)
        for document in push_devices().find({"owner": owner}).sort("created_at", DESCENDING)
    ]


def device_of_token(*, token: int) -> Device | None:
    document = push_devices().find_one({"app.token_id": token})
    return None if document is None else _device(document)


def update_app_alerts(*, token: int, alerts: Collection[str], policy: str) -> bool:
    """Update the alerts and the policy of an app. Returns False if the token has no endpoint."""
    change = {"app.alerts": sorted(alerts), "app.policy": policy}
    return push_devices().update_one({"app.token_id": token}, {"$set": change}).matched_count > 0


def delete_token_device(*, token: int) -> None:
    push_devices().delete_many({"app.token_id": token})


def device_owners(*, uids: Collection[int]) -> list[int]:
    """Return which of these users have a device. Runs one command, which reads only an index."""
    documents = push_devices().find({"owner": {"$in": list(uids)}}, {"_id": 0, "owner": 1})
    return list(dict.fromkeys(document["owner"] for document in documents))


def record_use(*, ids: Collection[str], now: datetime) -> None:
    push_devices().update_many({"_id": {"$in": list(ids)}}, {"$set": {"last_used_at": now}})


def delete_devices(*, owner: int, device_ids: Collection[str]) -> None:
    """Delete devices, except devices that belong to another owner by now."""
    push_devices().delete_many({"_id": {"$in": list(device_ids)}, "owner": owner})


def delete_all_devices(*, owner: int) -> None:
    push_devices().delete_many({"owner": owner})


def _device(document: Document) -> Device:
    app = document.get("app")
    return Device(
        id=document["_id"],
        owner=document["owner"],
        endpoint=document["endpoint"],
        p256dh=document["p256dh"],
        auth=document["auth"],
        label=document["label"],
        created_at=document["created_at"].replace(tzinfo=UTC),
        last_used_at=aware(document.get("last_used_at")),
        app_alerts=None if app is None else AppAlerts(**app | {"alerts": frozenset(app["alerts"])}),
    )
