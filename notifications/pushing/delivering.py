"""One notification to all devices of its reader: whether, and when."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from accounts import selectors as people
from accounts.ids import time_of
from accounts.user_cards import card
from notifications.kinds import kind_of
from notifications.mailing import schedule
from notifications.selectors import told
from notifications.store import endpoints, pushes
from notifications.store.endpoints import ALL, FOLLOWED, FOLLOWER, NONE, Device
from notifications.store.pushes import News

from . import keys, sending
from .messages import message_of
from .sending import Outcome

KEPT_FOR = timedelta(days=1)
"""Nobody is called because of something older."""

PRESENT_FOR = timedelta(minutes=5)
"""So long somebody who was on a page may still be there; that they were is noted no more often."""

PAUSES = (30.0, 120.0, 600.0)
"""Seconds before a push service that could not take it is asked again; then it is given up."""


@dataclass(frozen=True, slots=True)
class Again:
    """What is to be done after so many ``seconds``: the same for these ``devices``; none: for all."""

    seconds: float
    attempt: int = 0
    devices: tuple[str, ...] = ()


def push(
    *, item: int, reader: int, attempt: int = 0, devices: Collection[str] = ()
) -> Again | None:
    """Safe to repeat: devices show the same notification once. A constant number of commands."""
    now = timezone.now()
    age = now - time_of(id=item)
    if not keys.is_on() or age >= KEPT_FOR:
        return None
    if card(uid=reader) is None:
        endpoints.delete_all_of(owner=reader)
        return None
    news = pushes.news(reader=reader, item=item)
    if news is None or not _is_time(news, now):
        return None
    wanted = [
        one
        for one in endpoints.of(owner=reader)
        if (not devices or one.id in devices) and _wants(one, news)
    ]
    wanted = _heard(wanted, news.item.actor, reader)
    if not wanted:
        return None
    if news.seen_at is not None and now - news.seen_at < PRESENT_FOR:
        return Again(
            (news.seen_at + PRESENT_FOR - now).total_seconds() + 1, attempt, tuple(devices)
        )
    return _send(news, reader, KEPT_FOR - age, attempt, wanted)


def _wants(device: Device, news: News) -> bool:
    """Browsers are told what their person has chosen for all of them, apps what they ask for."""
    kind = kind_of(news.item.kind)
    if kind is None:
        return False
    if device.app is None:
        return news.choices.push.wants(kind=kind)
    return kind.app_type in device.app.alerts and device.app.policy != NONE


def _heard(devices: list[Device], actor: int, reader: int) -> list[Device]:
    """Without those that want to hear only of other people. No command if there are none."""
    by_people = {one.app.policy for one in devices if one.app} & {FOLLOWED, FOLLOWER}
    if not by_people or not actor:
        return devices
    found = people.listeners(uids=[reader], towards=actor)
    passed = {ALL}
    if reader in found.following:
        passed.add(FOLLOWED)
    if reader in found.followed:
        passed.add(FOLLOWER)
    return [one for one in devices if one.app is None or one.app.policy in passed]


def _is_time(news: News, now: datetime) -> bool:
    # Who was on a page since has seen that there is something.
    if news.seen_at is not None and news.seen_at >= time_of(id=news.item.id):
        return False
    return schedule.after_quiet_hours(choice=news.choices.mail, moment=now) == now


def _send(
    news: News, reader: int, left: timedelta, attempt: int, wanted: Collection[Device]
) -> Again | None:
    shown = told(reader=reader, items=[news.item])
    if not shown:
        return None
    message = message_of(item=news.item, one=shown[0])
    answers = {
        one.id: sending.send(message=message, device=one, seconds=int(left.total_seconds()))
        for one in wanted
    }
    if gone := [own for own, answer in answers.items() if answer.outcome is Outcome.GONE]:
        endpoints.delete(owner=reader, ids=gone)
    if sent := [own for own, answer in answers.items() if answer.outcome is Outcome.SENT]:
        endpoints.note_use(ids=sent, at=timezone.now())
    failed = {own: one.wait for own, one in answers.items() if one.outcome is Outcome.FAILED}
    if not failed or attempt >= len(PAUSES):
        return None
    return Again(max(PAUSES[attempt], *failed.values()), attempt + 1, tuple(failed))
