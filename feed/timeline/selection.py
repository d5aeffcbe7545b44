"""The strategies in use: ``FEED_STRATEGY``, unless the database records a switch (``strategy_switch``).

All processes read the switch from the database, so it needs no restart. To save a command per page, each
process caches the switch for ``CACHE_SECONDS``. ``feed.timeline.strategy_switch`` waits longer than that
after each change, until all processes know the change.
"""

from time import monotonic

from django.conf import settings

from feed.timeline.store import strategy_switch

CACHE_SECONDS = 5.0


class _Cache:
    value: tuple[float, strategy_switch.Switch | None] = (0.0, None)
    """``(expires_at, switch)``. One tuple, because threads replace both values without a lock."""


def used_strategies() -> list[str]:
    """Return the names of the strategies that get deliveries. Pages read the first of them.

    At most one command per ``CACHE_SECONDS``.
    """
    switch = _cached_switch()
    if switch is None:
        return [settings.FEED_STRATEGY]
    return [switch.active, *(name for name in switch.written if name != switch.active)]


def clear_cache() -> None:
    """Clear the cache, so that the next call reads the database."""
    _Cache.value = (0.0, None)


def _cached_switch() -> strategy_switch.Switch | None:
    now = monotonic()
    expires_at, switch = _Cache.value
    if now >= expires_at:
        # ``now`` was taken before the query, so no value is used longer than ``CACHE_SECONDS``.
        switch = strategy_switch.get_switch()
        _Cache.value = (now + CACHE_SECONDS, switch)
    return switch
