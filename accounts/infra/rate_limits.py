"""Rate limits of actions, for pages and the API.

``settings.RATE_LIMITS`` contains the rate of each action, such as "300/3h". A service performs the action
inside ``limited_action``, which raises RateLimited before any write. The exception has a message and the
waiting time. Forms show the message beside the input. ``accounts.request_guards`` answers an uncaught
exception with an error page. ``store.rate_limits`` counts the actions.
"""

import logging
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from .refusals import TryLater
from .store import rate_limits as store

logger = logging.getLogger(__name__)

SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
SLOW_FETCH_SECONDS = 4.0
"""From this time on, a fetch counts as slow."""

FETCH_RETRY_SECONDS = 60
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
        "You have liked once in %(span)s. You can like again in %(wait)s.",
        "You have liked %(number)d times in %(span)s. You can like again in %(wait)s.",
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
    "clip": ngettext_lazy(
        "You can upload one video or audio file in %(span)s. You can upload more in %(wait)s.",
        "You can upload %(number)d video and audio files in %(span)s. You can upload more in %(wait)s.",
        "number",
    ),
    "import": ngettext_lazy(
        "You can import one archive in %(span)s. You can import another in %(wait)s.",
        "You can import %(number)d archives in %(span)s. You can import another in %(wait)s.",
        "number",
    ),
    "invitation": ngettext_lazy(
        "You can create one invitation in %(span)s. You can create another in %(wait)s.",
        "You can create %(number)d invitations in %(span)s. You can create another in %(wait)s.",
        "number",
    ),
    "sign_up": ngettext_lazy(
        "Your network can create one account in %(span)s. Please try again in %(wait)s.",
        "Your network can create %(number)d accounts in %(span)s. Please try again in %(wait)s.",
        "number",
    ),
}
DEFAULT_MESSAGE = ngettext_lazy(
    "You can do this once in %(span)s. You can do it again in %(wait)s.",
    "You can do this %(number)d times in %(span)s. You can do it again in %(wait)s.",
    "number",
)


class RateLimited(TryLater):
    """The user or visitor has exceeded the rate limit of an action."""

    status = 429


@dataclass(frozen=True, slots=True)
class Rate:
    """At most ``max_count`` actions in ``seconds``. A ``max_count`` of 0 forbids the action."""

    max_count: int
    seconds: int


@dataclass(slots=True)
class CountedAction:
    """A counted action. Set ``is_done`` to False if the action changed nothing, to withdraw its count."""

    is_done: bool = True


@lru_cache
def parse_rate(text: str) -> Rate | None:
    """Parse a rate such as "300/3h" (300 actions in 3 hours). Units: s, m, h, d.

    Returns None for "", which means unlimited. Raises ValueError for any other text.
    """
    if not text:
        return None
    match = RATE_PATTERN.fullmatch(text)
    if match is None or int(match[2] or 1) == 0:
        raise ValueError(text)
    return Rate(max_count=int(match[1]), seconds=int(match[2] or 1) * SECONDS_PER_UNIT[match[3]])


@contextmanager
def limited_action(
    *,
    action: str,
    subject: int | str | None,
    times: int = 1,
    is_repeat: Callable[[], bool] = lambda: False,
) -> Iterator[CountedAction]:
    """Count an action, and perform the action inside the block. Raises RateLimited.

    Yields a ``CountedAction``.

    Args:
        subject: uid of a user, or network of a visitor.
        is_repeat: function that is called when the limit is exceeded. If it returns True, the action
            repeats an earlier action, so the action is allowed and not counted.

    One command counts the action before the block runs, so concurrent requests cannot exceed the limit. If
    the block fails or sets ``is_done`` to False, a second command withdraws the count.
    """
    rate = parse_rate(settings.RATE_LIMITS[action])
    if rate is None or times == 0:
        yield CountedAction()
        return
    if times > rate.max_count:
        raise RateLimited(_refusal_message(action, rate, rate.seconds), retry_after=rate.seconds)
    name, at = f"{action}:{subject}", timezone.now()
    count = store.count_action(
        name=name, times=times, limit=rate.max_count, seconds=rate.seconds, now=at
    )
    if not count.is_counted and is_repeat():
        yield CountedAction()
        return
    if not count.is_counted:
        seconds = math.ceil(count.retry_after_seconds)
        raise RateLimited(_refusal_message(action, rate, seconds), retry_after=seconds)
    counted_action = CountedAction()
    try:
        yield counted_action
    except BaseException:
        counted_action.is_done = False
        raise
    finally:
        if not counted_action.is_done:
            _undo_count(name, count.slot, times)


def _undo_count(name: str, slot: int, times: int) -> None:
    try:
        store.undo_count(name=name, slot=slot, times=times)
    except Exception:
        # Do not raise: this error would hide the exception of the action. Both may occur because the
        # database is unreachable.
        logger.exception("%s stays counted", name)


def is_turned_off(*, action: str) -> bool:
    """Return whether the limit of this action is 0."""
    rate = parse_rate(settings.RATE_LIMITS[action])
    return rate is not None and rate.max_count == 0


def count_action(*, action: str, subject: int | str | None, times: int = 1) -> None:
    """Count an action, even if the action fails later. Raises RateLimited."""
    with limited_action(action=action, subject=subject, times=times):
        pass


@contextmanager
def limited_fetch(*, uid: int, url: str) -> Iterator[None]:
    """Count a page that is fetched inside the block because of a user's link. Raises RateLimited.

    Per user and per host, "slow_link" and "slow_link_host" limit slow fetches. A fetch counts as slow while
    it runs, too. So a slow host occupies only a few threads, and is asked rarely after time-outs.
    """
    host = urlsplit(url).hostname
    with ExitStack() as stack:
        try:
            slow_fetches = [
                stack.enter_context(limited_action(action="slow_link", subject=uid)),
                stack.enter_context(limited_action(action="slow_link_host", subject=host)),
            ]
        except RateLimited as error:
            # Perhaps the others end soon, and are not slow.
            wait = min(error.retry_after, FETCH_RETRY_SECONDS)
            raise RateLimited(str(error), retry_after=wait) from None
        count_action(action="link", subject=uid)
        count_action(action="link_host", subject=host)
        started = time.monotonic()
        try:
            yield
        finally:
            for fetch in slow_fetches:
                fetch.is_done = time.monotonic() - started >= SLOW_FETCH_SECONDS


@dataclass(frozen=True, slots=True)
class Allowance:
    """The remaining actions of a rate limit. ``refusal``: the exception to raise if none remain."""

    limit: int
    remaining: int
    resets_at: datetime
    refusal: RateLimited | None


def take_allowance(*, action: str, subject: int | str | None) -> Allowance | None:
    """Count one action and return the remaining allowance, or None for an unlimited action."""
    rate = parse_rate(settings.RATE_LIMITS[action])
    if rate is None:
        return None
    at = timezone.now()
    count = store.count_action(
        name=f"{action}:{subject}", times=1, limit=rate.max_count, seconds=rate.seconds, now=at
    )
    wait = math.ceil(count.retry_after_seconds)
    return Allowance(
        limit=rate.max_count,
        remaining=max(0, rate.max_count - count.total),
        resets_at=at + timedelta(seconds=count.seconds_until_free),
        refusal=None
        if count.is_counted
        else RateLimited(_refusal_message(action, rate, wait), retry_after=wait),
    )


def delete_counts(*, uid: int) -> None:
    """Delete all counts of the user."""
    store.delete_counts(names=[f"{action}:{uid}" for action in settings.RATE_LIMITS])


def _refusal_message(action: str, rate: Rate, retry_after: int) -> str:
    if rate.max_count == 0:
        return _("This action is currently turned off on this site. Try again later.")
    span, wait = format_duration(seconds=rate.seconds), format_duration(seconds=retry_after)
    return str(
        MESSAGES.get(action, DEFAULT_MESSAGE)
        % {"number": rate.max_count, "span": span, "wait": wait}
    )


def format_duration(*, seconds: int) -> str:
    """Return the duration in words, rounded up to whole minutes, hours or days: "12 minutes"."""
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
