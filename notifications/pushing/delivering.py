"""One notification to all devices of its reader: whether, and when."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.ids import time_of
from accounts.user_cards import card
from notifications.kinds import kind_of
from notifications.mailing import schedule
from notifications.selectors import told
from notifications.store import endpoints, pushes
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
    if news is None or not _is_wanted(news, now):
        return None
    if news.seen_at is not None and now - news.seen_at < PRESENT_FOR:
        return Again(
            (news.seen_at + PRESENT_FOR - now).total_seconds() + 1, attempt, tuple(devices)
        )
    return _send(news, reader, KEPT_FOR - age, attempt, devices)


def _is_wanted(news: News, now: datetime) -> bool:
    kind = kind_of(news.item.kind)
    if kind is None or not news.choices.push.wants(kind=kind):
        return False
    # Who was on a page since has seen that there is something.
    if news.seen_at is not None and news.seen_at >= time_of(id=news.item.id):
        return False
    return schedule.after_quiet_hours(choice=news.choices.mail, moment=now) == now


def _send(
    news: News, reader: int, left: timedelta, attempt: int, only: Collection[str]
) -> Again | None:
    all_devices = endpoints.of(owner=reader)
    wanted = [one for one in all_devices if not only or one.id in only]
    shown = told(reader=reader, items=[news.item]) if wanted else []
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
