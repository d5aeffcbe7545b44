"""Where the browsers of people can be reached while no page is open (https://www.w3.org/TR/push-api/).

    push_endpoints {_id, owner, endpoint, p256dh, auth, label, made, used?,
                    app?: {token, alerts: [types], policy, is_standard}}

``_id`` is made of the endpoint: an endpoint belongs to one person, and to who asked for it last. ``used``:
when its push service last took something. ``app``: an app asked for it, with a token, which has no other.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from pymongo import ASCENDING, DESCENDING
from pymongo.errors import DuplicateKeyError

from .collections import Document, push_devices

MAX_DEVICES = 10
"""Of one person. The oldest go."""


ALL, FOLLOWED, FOLLOWERS, NONE = "all", "followed", "follower", "none"
"""By whom an app wants to be told of things: whom its person follows, or who follows them."""


@dataclass(frozen=True, slots=True)
class AppAlerts:
    """``token``: its id; ``alerts``: what it is told of, by ``Kind.app_type``; ``policy``: by whom;
    ``is_standard``: False for drafts of the standards, which older apps read."""

    token_id: int
    alerts: frozenset[str]
    policy: str
    is_standard: bool


@dataclass(frozen=True, slots=True)
class Device:
    """A browser, or an ``app``. ``p256dh``, ``auth``: by which only it can read what is sent, in
    base64url."""

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
    push_devices().create_index([("owner", ASCENDING), ("made", DESCENDING)])
    push_devices().create_index([("app.token", ASCENDING)], sparse=True)


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
    """Safe to repeat. Returns the device's id.

    A browser has one person at a time. Apps have several, some of them with one endpoint for all.
    """
    key = endpoint if app_alerts is None else f"{owner} {endpoint}"
    own = sha256(key.encode()).hexdigest()
    same = {"$eq": ["$owner", owner]}
    texts = {"endpoint": endpoint, "p256dh": p256dh, "auth": auth, "label": label}
    change: list[Document] = [
        {
            "$set": {
                "made": {"$cond": [same, "$made", now]},
                "used": {"$cond": [same, "$used", "$$REMOVE"]},
                "app": "$$REMOVE" if app_alerts is None else {"$literal": _wish(app_alerts)},
            }
        },
        {"$set": {"owner": owner} | {name: {"$literal": text} for name, text in texts.items()}},
    ]
    try:
        push_devices().update_one({"_id": own}, change, upsert=True)
    except DuplicateKeyError:  # the same browser, twice at once
        push_devices().update_one({"_id": own}, change)
    if app_alerts is not None:
        push_devices().delete_many({"app.token": app_alerts.token_id, "_id": {"$ne": own}})
    too_many = push_devices().find({"owner": owner}, {"_id": 1}).sort("made", DESCENDING)
    if gone := [one["_id"] for one in too_many.skip(MAX_DEVICES)]:
        push_devices().delete_many({"_id": {"$in": gone}, "owner": owner})
    return own


def devices_of(*, owner: int) -> list[Device]:
    """The newest first."""
    return [_device(one) for one in push_devices().find({"owner": owner}).sort("made", DESCENDING)]


def device_of_token(*, token: int) -> Device | None:
    found = push_devices().find_one({"app.token": token})
    return None if found is None else _device(found)


def update_app_alerts(*, token: int, alerts: Collection[str], policy: str) -> bool:
    """False if there is no endpoint of this token."""
    change = {"app.alerts": sorted(alerts), "app.policy": policy}
    return push_devices().update_one({"app.token": token}, {"$set": change}).matched_count > 0


def delete_token_device(*, token: int) -> None:
    push_devices().delete_many({"app.token": token})


def device_owners(*, uids: Collection[int]) -> list[int]:
    """Who of these has a device. One command, whose answer comes from the index alone."""
    found = push_devices().find({"owner": {"$in": list(uids)}}, {"_id": 0, "owner": 1})
    return list(dict.fromkeys(one["owner"] for one in found))


def record_use(*, ids: Collection[str], now: datetime) -> None:
    push_devices().update_many({"_id": {"$in": list(ids)}}, {"$set": {"used": now}})


def delete_devices(*, owner: int, device_ids: Collection[str]) -> None:
    """Of those that are the owner's still."""
    push_devices().delete_many({"_id": {"$in": list(device_ids)}, "owner": owner})


def delete_all_devices(*, owner: int) -> None:
    push_devices().delete_many({"owner": owner})


def _wish(app: AppAlerts) -> Document:
    return {
        "token": app.token_id,
        "alerts": sorted(app.alerts),
        "policy": app.policy,
        "is_standard": app.is_standard,
    }


def _device(one: Document) -> Device:
    used, app = one.get("used"), one.get("app")
    return Device(
        id=one["_id"],
        owner=one["owner"],
        endpoint=one["endpoint"],
        p256dh=one["p256dh"],
        auth=one["auth"],
        label=one["label"],
        created_at=one["made"].replace(tzinfo=UTC),
        last_used_at=used and used.replace(tzinfo=UTC),
        app_alerts=app and AppAlerts(**app | {"alerts": frozenset(app["alerts"])}),
    )
