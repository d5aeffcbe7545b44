"""How often people may do things: the one place that counts, for pages and for programs alike.

``settings.LIMITS`` says how often each action may be done: "300/3h". A service does it inside ``counted``;
when it was too often, that raises TooMany before anything is written, with words for the person and the
time to wait. A form shows them beside what was typed; where nobody catches it, ``guarding`` makes a page of
it. The counting itself: ``store.limits``.
"""

import logging
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from .refusals import TryLater
from .store import rate_limits as store

logger = logging.getLogger(__name__)

SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
RATE_PATTERN = re.compile(r"([0-9]{1,9})/([0-9]{1,4})?([smhd])")


MESSAGES: dict[str, Any] = {
    "post": ngettext_lazy(
        "You have posted once in %(span)s. You can post again in %(wait)s.",
        "You have posted %(number)d times in %(span)s. You can post again in %(wait)s.",
        "number",
    ),
    "comment": ngettext_lazy(
        "You have commented once in %(span)s. You can comment again in %(wait)s.",
        "You have commented %(number)d times in %(span)s. You can comment again in %(wait)s.",
        "number",
    ),
    "like": ngettext_lazy(
        "You have liked one thing in %(span)s. You can like more in %(wait)s.",
        "You have liked %(number)d things in %(span)s. You can like more in %(wait)s.",
        "number",
    ),
    "follow": ngettext_lazy(
        "You have followed one person in %(span)s. You can follow more in %(wait)s.",
        "You have followed %(number)d people in %(span)s. You can follow more in %(wait)s.",
        "number",
    ),
    "report": ngettext_lazy(
        "You have reported once in %(span)s. You can report again in %(wait)s.",
        "You have reported %(number)d times in %(span)s. You can report again in %(wait)s.",
        "number",
    ),
    "upload": ngettext_lazy(
        "You can upload one picture in %(span)s. You can upload more in %(wait)s.",
        "You can upload %(number)d pictures in %(span)s. You can upload more in %(wait)s.",
        "number",
    ),
    "import": ngettext_lazy(
        "You can import one archive in %(span)s. You can import another in %(wait)s.",
        "You can import %(number)d archives in %(span)s. You can import another in %(wait)s.",
        "number",
    ),
    "invitation": ngettext_lazy(
        "You can make one invitation in %(span)s. You can make another in %(wait)s.",
        "You can make %(number)d invitations in %(span)s. You can make another in %(wait)s.",
        "number",
    ),
    "sign_up": ngettext_lazy(
        "From where you are, one account can be made in %(span)s. Please try again in %(wait)s.",
        "From where you are, %(number)d accounts can be made in %(span)s. "
        "Please try again in %(wait)s.",
        "number",
    ),
}
DEFAULT_MESSAGE = ngettext_lazy(
    "This can be done once in %(span)s. You can do it again in %(wait)s.",
    "This can be done %(number)d times in %(span)s. You can do it again in %(wait)s.",
    "number",
)


class RateLimited(TryLater):
    """The user has done this too often."""

    status = 429


@dataclass(frozen=True, slots=True)
class Rate:
    """So often in so many seconds. ``most`` 0: never."""

    max_count: int
    seconds: int


@dataclass(slots=True)
class CountedAction:
    """``stands``: whether it has been done; False for what turned out to be done already."""

    is_done: bool = True


@lru_cache
def parse_rate(text: str) -> Rate | None:
    """ "300/3h": 300 times in 3 hours; units are s, m, h and d. "": as often as one likes (None).

    Raises ValueError for what is neither.
    """
    if not text:
        return None
    found = RATE_PATTERN.fullmatch(text)
    if found is None or int(found[2] or 1) == 0:
        raise ValueError(text)
    return Rate(max_count=int(found[1]), seconds=int(found[2] or 1) * SECONDS_PER_UNIT[found[3]])


@contextmanager
def limited_action(
    *,
    action: str,
    subject: int | str | None,
    times: int = 1,
    is_repeat: Callable[[], bool] = lambda: False,
) -> Iterator[CountedAction]:
    """Do the action inside; ``who``: the uid of the person, or the address of a visitor.

    It is counted before, in one command, so that of many at once no more get through than may; raises
    TooMany then, unless it ``is_repeat`` of what has been done. What fails inside, or does not stand, is
    taken back.
    """
    rate = parse_rate(settings.LIMITS[action])
    if rate is None or times == 0:
        yield CountedAction()
        return
    if times > rate.max_count:
        raise RateLimited(_said(action, rate, rate.seconds), retry_after=rate.seconds)
    name, at = f"{action}:{subject}", timezone.now()
    count = store.count_action(
        name=name, times=times, limit=rate.max_count, seconds=rate.seconds, now=at
    )
    if not count.is_counted and is_repeat():
        yield CountedAction()
        return
    if not count.is_counted:
        seconds = math.ceil(count.retry_after_seconds)
        raise RateLimited(_said(action, rate, seconds), retry_after=seconds)
    done = CountedAction()
    try:
        yield done
    except BaseException:
        done.is_done = False
        raise
    finally:
        if not done.is_done:
            _take_back(name, count.slot, times)


def _take_back(name: str, slot: int, times: int) -> None:
    try:
        store.undo_count(name=name, slot=slot, times=times)
    except Exception:
        # What went wrong inside matters more, and may be that there is no database at the moment.
        logger.exception("%s stays counted", name)


def count_action(*, action: str, subject: int | str | None, times: int = 1) -> None:
    """As ``counted``, for what counts even if it fails after it. Raises TooMany."""
    with limited_action(action=action, subject=subject, times=times):
        pass


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a limit. ``refusal``: what to raise where nothing is."""

    limit: int
    remaining: int
    resets_at: datetime
    refusal: RateLimited | None


def take_allowance(*, action: str, subject: int | str | None) -> Allowance | None:
    """Count one; None where there is no limit."""
    rate = parse_rate(settings.LIMITS[action])
    if rate is None:
        return None
    at = timezone.now()
    found = store.count_action(
        name=f"{action}:{subject}", times=1, limit=rate.max_count, seconds=rate.seconds, now=at
    )
    wait = math.ceil(found.retry_after_seconds)
    return Allowance(
        limit=rate.max_count,
        remaining=max(0, rate.max_count - found.total),
        resets_at=at + timedelta(seconds=found.seconds_until_free),
        refusal=None
        if found.is_counted
        else RateLimited(_said(action, rate, wait), retry_after=wait),
    )


def delete_counts(*, uid: int) -> None:
    """Nothing is known any more of how often this person has done what."""
    store.delete_counts(names=[f"{action}:{uid}" for action in settings.LIMITS])


def _said(action: str, rate: Rate, again_in: int) -> str:
    if rate.max_count == 0:
        return _("This is not possible here at the moment.")
    span, wait = format_duration(seconds=rate.seconds), format_duration(seconds=again_in)
    return str(
        MESSAGES.get(action, DEFAULT_MESSAGE)
        % {"number": rate.max_count, "span": span, "wait": wait}
    )


def format_duration(*, seconds: int) -> str:
    """In words, rounded up to whole minutes, hours or days: "12 minutes"."""
    if seconds < 60:
        return ngettext("%(n)d second", "%(n)d seconds", seconds) % {"n": seconds}
    if seconds < 7200 and seconds != 3600:
        n = math.ceil(seconds / 60)
        return ngettext("%(n)d minute", "%(n)d minutes", n) % {"n": n}
    if seconds < 2 * 86_400 and seconds != 86_400:
        n = math.ceil(seconds / 3600)
        return ngettext("%(n)d hour", "%(n)d hours", n) % {"n": n}
    n = math.ceil(seconds / 86_400)
    return ngettext("%(n)d day", "%(n)d days", n) % {"n": n}
