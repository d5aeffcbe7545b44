"""When the demo's people write: over thirty days, more of late, by day more than by night."""

import random
from datetime import datetime, timedelta

SPAN = timedelta(days=30)
HALVED_EVERY = timedelta(days=9)
NEWEST_AGE = timedelta(seconds=70)
MORNING = (30, 18, 10, 8, 8, 14, 30, 55, 72, 76, 74, 76)
EVENING = (86, 80, 70, 68, 72, 80, 90, 98, 100, 96, 78, 52)
RHYTHM = MORNING + EVENING
"""How much is written in each hour of the day, in percent of the busiest."""


def make_moments(*, count: int, now: datetime, seed: int) -> list[datetime]:
    """``count`` moments before ``now``, in order, no two in one millisecond."""
    chance = random.Random(f"{seed}:moments")  # noqa: S311 - not a secret
    drawn: set[int] = set()
    while len(drawn) < count:
        age = timedelta(seconds=chance.expovariate(0.693 / HALVED_EVERY.total_seconds()))
        if age < SPAN:
            moment = now - NEWEST_AGE - age
            # The busy hours differ with the time zones of the writers: so blur them a little.
            if chance.random() * 100 < RHYTHM[(moment.hour + chance.randrange(-1, 2)) % 24]:
                drawn.add(age // timedelta(milliseconds=1))
    return [now - NEWEST_AGE - timedelta(milliseconds=age) for age in sorted(drawn, reverse=True)]
