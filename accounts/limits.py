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
from .store import limits as store

logger = logging.getLogger(__name__)

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
RATE = re.compile(r"([0-9]{1,9})/([0-9]{1,4})?([smhd])")


WORDS: dict[str, Any] = {
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
OTHER = ngettext_lazy(
    "This can be done once in %(span)s. You can do it again in %(wait)s.",
    "This can be done %(number)d times in %(span)s. You can do it again in %(wait)s.",
    "number",
)


class TooMany(TryLater):
    """The user has done this too often."""

    status = 429


@dataclass(frozen=True, slots=True)
class Rate:
    """So often in so many seconds. ``most`` 0: never."""

    most: int
    seconds: int


@dataclass(slots=True)
class Counted:
    """``stands``: whether it has been done; False for what turned out to be done already."""

    stands: bool = True


@lru_cache
def rate_of(text: str) -> Rate | None:
    """ "300/3h": 300 times in 3 hours; units are s, m, h and d. "": as often as one likes (None).

    Raises ValueError for what is neither.
    """
    if not text:
        return None
    found = RATE.fullmatch(text)
    if found is None or int(found[2] or 1) == 0:
        raise ValueError(text)
    return Rate(most=int(found[1]), seconds=int(found[2] or 1) * SECONDS[found[3]])


@contextmanager
def counted(
    *,
    action: str,
    who: int | str | None,
    times: int = 1,
    is_repeat: Callable[[], bool] = lambda: False,
) -> Iterator[Counted]:
    """Do the action inside; ``who``: the uid of the person, or the address of a visitor.

    It is counted before, in one command, so that of many at once no more get through than may; raises
    TooMany then, unless it ``is_repeat`` of what has been done. What fails inside, or does not stand, is
    taken back.
    """
    rate = rate_of(settings.LIMITS[action])
    if rate is None or times == 0:
        yield Counted()
        return
    if times > rate.most:
        raise TooMany(_said(action, rate, rate.seconds), retry_after=rate.seconds)
    name, at = f"{action}:{who}", timezone.now()
    count = store.add(name=name, times=times, limit=rate.most, seconds=rate.seconds, at=at)
    if not count.is_counted and is_repeat():
        yield Counted()
        return
    if not count.is_counted:
        seconds = math.ceil(count.again_in)
        raise TooMany(_said(action, rate, seconds), retry_after=seconds)
    done = Counted()
    try:
        yield done
    except BaseException:
        done.stands = False
        raise
    finally:
        if not done.stands:
            _take_back(name, count.slot, times)


def _take_back(name: str, slot: int, times: int) -> None:
    try:
        store.take_back(name=name, slot=slot, times=times)
    except Exception:
        # What went wrong inside matters more, and may be that there is no database at the moment.
        logger.exception("%s stays counted", name)


def count(*, action: str, who: int | str | None, times: int = 1) -> None:
    """As ``counted``, for what counts even if it fails after it. Raises TooMany."""
    with counted(action=action, who=who, times=times):
        pass


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a limit. ``refusal``: what to raise where nothing is."""

    limit: int
    remaining: int
    resets_at: datetime
    refusal: TooMany | None


def allowance(*, action: str, who: int | str | None) -> Allowance | None:
    """Count one; None where there is no limit."""
    rate = rate_of(settings.LIMITS[action])
    if rate is None:
        return None
    at = timezone.now()
    found = store.add(name=f"{action}:{who}", times=1, limit=rate.most, seconds=rate.seconds, at=at)
    wait = math.ceil(found.again_in)
    return Allowance(
        limit=rate.most,
        remaining=max(0, rate.most - found.total),
        resets_at=at + timedelta(seconds=found.frees_in),
        refusal=None if found.is_counted else TooMany(_said(action, rate, wait), retry_after=wait),
    )


def forget(*, who: int) -> None:
    """Nothing is known any more of how often this person has done what."""
    store.delete(names=[f"{action}:{who}" for action in settings.LIMITS])


def _said(action: str, rate: Rate, again_in: int) -> str:
    if rate.most == 0:
        return _("This is not possible here at the moment.")
    span, wait = duration(seconds=rate.seconds), duration(seconds=again_in)
    return str(WORDS.get(action, OTHER) % {"number": rate.most, "span": span, "wait": wait})


def duration(*, seconds: int) -> str:
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
