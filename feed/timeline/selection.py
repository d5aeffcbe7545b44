"""Which strategies are in use now: ``FEED_STRATEGY``, until a switch says otherwise (``switching``).

The database's word holds for all processes, and none is restarted for it. To ask for each page would
cost a command, so each process remembers the answer for ``FRESH_SECONDS``; who changes it waits for
longer than that before relying on it.
"""

from dataclasses import dataclass
from time import monotonic

from django.conf import settings

from feed.timeline.store import strategy_switch

CACHE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Selection:
    """``active`` is read; ``written`` are all that get deliveries, the active one first."""

    active: str
    written: tuple[str, ...]


class _Memory:
    answer: tuple[float, strategy_switch.Switch | None] = (0.0, None)
    """Until when it holds, and what: replaced as one, for many threads ask."""


def current_selection() -> Selection:
    """At most one command in ``FRESH_SECONDS``, mostly none."""
    switch = _switch()
    if switch is None:
        return Selection(settings.FEED_STRATEGY, (settings.FEED_STRATEGY,))
    others = (name for name in switch.written if name != switch.active)
    return Selection(switch.active, (switch.active, *others))


def clear_cache() -> None:
    """Ask the database at the next use."""
    _Memory.answer = (0.0, None)


def _switch() -> strategy_switch.Switch | None:
    now = monotonic()
    until, switch = _Memory.answer
    if now >= until:
        # The time from before the question: the answer is never older than it seems.
        switch = strategy_switch.get_switch()
        _Memory.answer = (now + CACHE_SECONDS, switch)
    return switch
