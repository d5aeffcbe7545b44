"""How active people are, and the phases of a run.

A few people do most of what happens on a site. So the pause between two actions of a person follows a power
law: half of them pause less than 7 seconds, one in ten more than 20. With these numbers, 100 people
perform about 14 actions a second.

Phases: people arrive, then there is a steady phase. Then the rate rises every ``CLIMB_SECONDS`` until the
99th percentile of all pages is above ``LIMIT_MILLISECONDS``. The rate rises because pauses get shorter, not
because more people log in: hashing passwords would dominate the result.
"""

import os
import random

import gevent

LIMIT_MILLISECONDS = 250
CLIMB_SECONDS = float(os.environ.get("LOAD_CLIMB_SECONDS", "60"))
CLIMB_FACTOR = 1.25
MAX_STEPS = 15
SHORTEST_PAUSE, EXPONENT, LONGEST_PAUSE = 4.0, 1.3, 60.0
SLOW_BY_DESIGN = ("log in: send password", "app: token")
"""Pages that hash a password or a secret, and do not count for the limit."""


class Pace:
    """The rate of all people, as a factor of the steady rate."""

    def __init__(self) -> None:
        self.factor = 1.0
        self.arrived = 0  # people who have logged in and opened their first page
        self.recent: list[float] = []

    def mean_pause(self) -> float:
        """Draw the mean pause of a person, in seconds."""
        return min(SHORTEST_PAUSE * random.paretovariate(EXPONENT), LONGEST_PAUSE)

    def pause(self, mean: float) -> float:
        """Draw a pause between two actions of a person with this mean pause."""
        return random.uniform(0.5, 1.5) * mean / self.factor

    def add(self, page: str, milliseconds: float) -> None:
        if page not in SLOW_BY_DESIGN:
            self.recent.append(milliseconds)

    def percentile_99(self) -> float:
        """Return the 99th percentile of the requests since the last call, in milliseconds."""
        recent, self.recent = sorted(self.recent), []
        return recent[int(len(recent) * 0.99)] if recent else 0.0


def run_phases(*, environment, pace, record, people, steady_seconds, climbs) -> None:
    """Conduct the run: wait until ``people`` are here, then the phases, then stop locust."""
    record.add_phase("arrive")
    while pace.arrived < people:
        gevent.sleep(0.2)
    record.add_phase("steady")
    pace.recent.clear()
    gevent.sleep(steady_seconds)
    for _ in range(MAX_STEPS if climbs else 0):
        pace.factor *= CLIMB_FACTOR
        pace.recent.clear()
        record.add_phase("climb", factor=round(pace.factor, 2))
        gevent.sleep(CLIMB_SECONDS)
        if pace.percentile_99() > LIMIT_MILLISECONDS:
            break
    record.add_phase("end")
    environment.runner.quit()
