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

from .collections import Document, push_endpoints

MOST = 10
"""Of one person. The oldest go."""


ALL, FOLLOWED, FOLLOWER, NONE = "all", "followed", "follower", "none"
"""By whom an app wants to be told of things: whom its person follows, or who follows them."""


@dataclass(frozen=True, slots=True)
class AppWish:
    """``token``: its id; ``alerts``: what it is told of, by ``Kind.app_type``; ``policy``: by whom;
    ``is_standard``: False for drafts of the standards, which older apps read."""

    token: int
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
    made: datetime
    used: datetime | None
    app: AppWish | None = None


def prepare() -> None:
    push_endpoints().create_index([("owner", ASCENDING), ("made", DESCENDING)])
    push_endpoints().create_index([("app.token", ASCENDING)], sparse=True)


def put(
    *,
    owner: int,
    endpoint: str,
    p256dh: str,
    auth: str,
    label: str,
    at: datetime,
    app: AppWish | None = None,
) -> str:
    """Safe to repeat. Returns the device's id.

    A browser has one person at a time. Apps have several, some of them with one endpoint for all.
    """
    key = endpoint if app is None else f"{owner} {endpoint}"
    own = sha256(key.encode()).hexdigest()
    same = {"$eq": ["$owner", owner]}
    texts = {"endpoint": endpoint, "p256dh": p256dh, "auth": auth, "label": label}
    change: list[Document] = [
        {
            "$set": {
                "made": {"$cond": [same, "$made", at]},
                "used": {"$cond": [same, "$used", "$$REMOVE"]},
                "app": "$$REMOVE" if app is None else {"$literal": _wish(app)},
            }
        },
        {"$set": {"owner": owner} | {name: {"$literal": text} for name, text in texts.items()}},
    ]
    try:
        push_endpoints().update_one({"_id": own}, change, upsert=True)
    except DuplicateKeyError:  # the same browser, twice at once
        push_endpoints().update_one({"_id": own}, change)
    if app is not None:
        push_endpoints().delete_many({"app.token": app.token, "_id": {"$ne": own}})
    too_many = push_endpoints().find({"owner": owner}, {"_id": 1}).sort("made", DESCENDING)
    if gone := [one["_id"] for one in too_many.skip(MOST)]:
        push_endpoints().delete_many({"_id": {"$in": gone}, "owner": owner})
    return own


def of(*, owner: int) -> list[Device]:
    """The newest first."""
    return [
        _device(one) for one in push_endpoints().find({"owner": owner}).sort("made", DESCENDING)
    ]


def of_token(*, token: int) -> Device | None:
    found = push_endpoints().find_one({"app.token": token})
    return None if found is None else _device(found)


def change_wish(*, token: int, alerts: Collection[str], policy: str) -> bool:
    """False if there is no endpoint of this token."""
    change = {"app.alerts": sorted(alerts), "app.policy": policy}
    return push_endpoints().update_one({"app.token": token}, {"$set": change}).matched_count > 0


def delete_of_token(*, token: int) -> None:
    push_endpoints().delete_many({"app.token": token})


def owners_among(*, uids: Collection[int]) -> list[int]:
    """Who of these has a device. One command, whose answer comes from the index alone."""
    found = push_endpoints().find({"owner": {"$in": list(uids)}}, {"_id": 0, "owner": 1})
    return list(dict.fromkeys(one["owner"] for one in found))


def note_use(*, ids: Collection[str], at: datetime) -> None:
    push_endpoints().update_many({"_id": {"$in": list(ids)}}, {"$set": {"used": at}})


def delete(*, owner: int, ids: Collection[str]) -> None:
    """Of those that are the owner's still."""
    push_endpoints().delete_many({"_id": {"$in": list(ids)}, "owner": owner})


def delete_all_of(*, owner: int) -> None:
    push_endpoints().delete_many({"owner": owner})


def _wish(app: AppWish) -> Document:
    return {
        "token": app.token,
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
        made=one["made"].replace(tzinfo=UTC),
        used=used and used.replace(tzinfo=UTC),
        app=app and AppWish(**app | {"alerts": frozenset(app["alerts"])}),
    )
