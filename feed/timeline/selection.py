"""The strategies in use: ``FEED_STRATEGY``, unless the database records a switch (``strategy_switch``).

All processes read the database, so a switch needs no restart. Reading it for each page would cost a
command, so each process caches the answer for ``CACHE_SECONDS``. A switch waits for longer than that
before it relies on a change.
"""

from dataclasses import dataclass
from time import monotonic

from django.conf import settings

from feed.timeline.store import strategy_switch

CACHE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Selection:
    """``active`` serves pages. ``written`` get deliveries, the active one first."""

    active: str
    written: tuple[str, ...]


class _Cache:
    value: tuple[float, strategy_switch.Switch | None] = (0.0, None)
    """Expiry and value in one tuple, because threads replace it without a lock."""


def current_selection() -> Selection:
    """Return the strategies in use: at most one command in ``CACHE_SECONDS``."""
    switch = _cached_switch()
    if switch is None:
        return Selection(settings.FEED_STRATEGY, (settings.FEED_STRATEGY,))
    others = (name for name in switch.written if name != switch.active)
    return Selection(switch.active, (switch.active, *others))


def clear_cache() -> None:
    """Read the database at the next use."""
    _Cache.value = (0.0, None)


def _cached_switch() -> strategy_switch.Switch | None:
    now = monotonic()
    expires_at, switch = _Cache.value
    if now >= expires_at:
        # ``now`` is from before the query, so the answer never outlives ``CACHE_SECONDS``.
        switch = strategy_switch.get_switch()
        _Cache.value = (now + CACHE_SECONDS, switch)
    return switch
