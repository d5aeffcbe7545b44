"""Pushes of one notification to the devices of its recipient: conditions, timing and retries."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone, translation

from accounts.infra import metrics
from accounts.infra.ids import time_of
from accounts.selectors.profiles import recipient_language
from accounts.selectors.relationships import recipient_relationships
from accounts.user_cards import find_card
from notifications.kinds import find_kind
from notifications.mail import schedule
from notifications.selectors.notification_views import grouped_views
from notifications.store import boxes, devices
from notifications.store.boxes import PushCandidate
from notifications.store.devices import ALL, FOLLOWED, FOLLOWERS, NONE, Device

from . import client, keys
from .client import Outcome, build_message

MAX_AGE = timedelta(days=1)
"""Older notifications are not pushed."""

PRESENCE_WINDOW = timedelta(minutes=5)
"""Interval between records of presence. A user with a more recent record may still be on the site."""

RETRY_DELAYS = (30.0, 120.0, 600.0)
"""Seconds before each retry after a failure. After the last retry the push is dropped."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A retry of the push after ``seconds``. If ``device_ids`` is empty, the retry is for all devices."""

    seconds: float
    attempt: int = 0
    device_ids: tuple[str, ...] = ()


def push_notification(
    *, row_id: int, recipient: int, attempt: int = 0, device_ids: Collection[str] = ()
) -> Retry | None:
    """Push a row to its recipient's devices. Returns a Retry if a device must get the row later.

    Safe to repeat, because devices show each notification once. Runs a constant number of commands.
    """
    now = timezone.now()
    age = now - time_of(id=row_id)
    if not keys.is_push_enabled() or age >= MAX_AGE:
        return None
    if find_card(uid=recipient) is None:
        devices.delete_all_devices(owner=recipient)
        return None
    candidate = boxes.push_candidate(recipient=recipient, row_id=row_id)
    if candidate is None or not _is_push_time(candidate, now):
        return None
    target_devices = [
        device
        for device in devices.devices_of(owner=recipient)
        if (not device_ids or device.id in device_ids) and _wants(device, candidate)
    ]
    target_devices = _filter_by_policy(target_devices, candidate.row.actor, recipient)
    if not target_devices:
        return None
    if candidate.seen_at is not None and now - candidate.seen_at < PRESENCE_WINDOW:
        return Retry(
            (candidate.seen_at + PRESENCE_WINDOW - now).total_seconds() + 1,
            attempt,
            tuple(device_ids),
        )
    return _send(candidate, recipient, MAX_AGE - age, attempt, target_devices)


def _wants(device: Device, candidate: PushCandidate) -> bool:
    """Return whether the device wants this kind.

    The user's preferences apply to browsers. Apps have their own settings.
    """
    kind = find_kind(candidate.row.kind)
    if kind is None:
        return False
    if device.app_alerts is None:
        return candidate.preferences.push.wants(kind=kind)
    return kind.api_type in device.app_alerts.alerts and device.app_alerts.policy != NONE


def _filter_by_policy(devices: list[Device], actor: int, recipient: int) -> list[Device]:
    """Drop app devices whose policy excludes this actor.

    Runs no command if no policy depends on relationships.
    """
    relationship_policies = {
        device.app_alerts.policy for device in devices if device.app_alerts
    } & {FOLLOWED, FOLLOWERS}
    if not relationship_policies or not actor:
        return devices
    actor_relationships = recipient_relationships(recipients=[recipient], actor=actor)
    accepted_policies = {ALL}
    if recipient in actor_relationships.followers:
        accepted_policies.add(FOLLOWED)
    if recipient in actor_relationships.followees:
        accepted_policies.add(FOLLOWERS)
    return [
        device
        for device in devices
        if device.app_alerts is None or device.app_alerts.policy in accepted_policies
    ]


def _is_push_time(candidate: PushCandidate, now: datetime) -> bool:
    # A user who visited the site after the notification has already seen the badge.
    if candidate.seen_at is not None and candidate.seen_at >= time_of(id=candidate.row.id):
        return False
    return schedule.after_quiet_hours(choice=candidate.preferences.mail, moment=now) == now


def _send(
    candidate: PushCandidate,
    recipient: int,
    time_left: timedelta,
    attempt: int,
    target_devices: Collection[Device],
) -> Retry | None:
    views = grouped_views(viewer=recipient, rows=[candidate.row])
    if not views:
        return None
    with translation.override(recipient_language(uid=recipient)):
        message = build_message(row=candidate.row, notification=views[0])
    results = {
        device.id: client.send_message(
            message=message, device=device, ttl_seconds=int(time_left.total_seconds())
        )
        for device in target_devices
    }
    ids_by_outcome: dict[Outcome, list[str]] = {outcome: [] for outcome in Outcome}
    for device_id, (outcome, _retry_after) in results.items():
        metrics.PUSHES.labels(outcome.name.lower()).inc()
        ids_by_outcome[outcome].append(device_id)
    if gone_ids := ids_by_outcome[Outcome.GONE]:
        devices.delete_devices(owner=recipient, device_ids=gone_ids)
    if sent_ids := ids_by_outcome[Outcome.SENT]:
        devices.record_use(ids=sent_ids, now=timezone.now())
    failed_ids = ids_by_outcome[Outcome.FAILED]
    if not failed_ids or attempt >= len(RETRY_DELAYS):
        return None
    retry_after = max(results[device_id][1] for device_id in failed_ids)
    return Retry(max(RETRY_DELAYS[attempt], retry_after), attempt + 1, tuple(failed_ids))
