"""One notification to all devices of its reader: whether, and when."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.infra.ids import time_of
from accounts.selectors.relationships import recipient_relationships
from accounts.user_cards import find_card
from notifications.kinds import find_kind
from notifications.mail import schedule
from notifications.selectors.notification_views import grouped_views
from notifications.store import devices, push_queue
from notifications.store.devices import ALL, FOLLOWED, FOLLOWERS, NONE, Device
from notifications.store.push_queue import PushCandidate

from . import client, keys
from .client import Outcome
from .messages import build_message

MAX_AGE = timedelta(days=1)
"""Nobody is called because of something older."""

PRESENCE_WINDOW = timedelta(minutes=5)
"""So long somebody who was on a page may still be there; that they were is noted no more often."""

RETRY_DELAYS = (30.0, 120.0, 600.0)
"""Seconds before a push service that could not take it is asked again; then it is given up."""


@dataclass(frozen=True, slots=True)
class Retry:
    """What is to be done after so many ``seconds``: the same for these ``devices``; none: for all."""

    seconds: float
    attempt: int = 0
    device_ids: tuple[str, ...] = ()


def push_notification(
    *, row_id: int, recipient: int, attempt: int = 0, device_ids: Collection[str] = ()
) -> Retry | None:
    """Safe to repeat: devices show the same notification once. A constant number of commands."""
    now = timezone.now()
    age = now - time_of(id=row_id)
    if not keys.is_push_enabled() or age >= MAX_AGE:
        return None
    if find_card(uid=recipient) is None:
        devices.delete_all_devices(owner=recipient)
        return None
    news = push_queue.push_candidate(recipient=recipient, row_id=row_id)
    if news is None or not _is_time(news, now):
        return None
    wanted = [
        one
        for one in devices.devices_of(owner=recipient)
        if (not device_ids or one.id in device_ids) and _wants(one, news)
    ]
    wanted = _heard(wanted, news.row.actor, recipient)
    if not wanted:
        return None
    if news.seen_at is not None and now - news.seen_at < PRESENCE_WINDOW:
        return Retry(
            (news.seen_at + PRESENCE_WINDOW - now).total_seconds() + 1, attempt, tuple(device_ids)
        )
    return _send(news, recipient, MAX_AGE - age, attempt, wanted)


def _wants(device: Device, news: PushCandidate) -> bool:
    """Browsers are told what their person has chosen for all of them, apps what they ask for."""
    kind = find_kind(news.row.kind)
    if kind is None:
        return False
    if device.app_alerts is None:
        return news.preferences.push.wants(kind=kind)
    return kind.api_type in device.app_alerts.alerts and device.app_alerts.policy != NONE


def _heard(devices: list[Device], actor: int, reader: int) -> list[Device]:
    """Without those that want to hear only of other people. No command if there are none."""
    by_people = {one.app_alerts.policy for one in devices if one.app_alerts} & {FOLLOWED, FOLLOWERS}
    if not by_people or not actor:
        return devices
    found = recipient_relationships(recipients=[reader], actor=actor)
    passed = {ALL}
    if reader in found.followers:
        passed.add(FOLLOWED)
    if reader in found.followees:
        passed.add(FOLLOWERS)
    return [one for one in devices if one.app_alerts is None or one.app_alerts.policy in passed]


def _is_time(news: PushCandidate, now: datetime) -> bool:
    # Who was on a page since has seen that there is something.
    if news.seen_at is not None and news.seen_at >= time_of(id=news.row.id):
        return False
    return schedule.after_quiet_hours(choice=news.preferences.mail, moment=now) == now


def _send(
    news: PushCandidate, reader: int, left: timedelta, attempt: int, wanted: Collection[Device]
) -> Retry | None:
    shown = grouped_views(viewer=reader, rows=[news.row])
    if not shown:
        return None
    message = build_message(row=news.row, notification=shown[0])
    answers = {
        one.id: client.send_message(
            message=message, device=one, ttl_seconds=int(left.total_seconds())
        )
        for one in wanted
    }
    if gone := [own for own, answer in answers.items() if answer.outcome is Outcome.GONE]:
        devices.delete_devices(owner=reader, device_ids=gone)
    if sent := [own for own, answer in answers.items() if answer.outcome is Outcome.SENT]:
        devices.record_use(ids=sent, now=timezone.now())
    failed = {own: one.retry_after for own, one in answers.items() if one.outcome is Outcome.FAILED}
    if not failed or attempt >= len(RETRY_DELAYS):
        return None
    return Retry(max(RETRY_DELAYS[attempt], *failed.values()), attempt + 1, tuple(failed))
