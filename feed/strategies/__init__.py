"""Ways to bring posts to readers, behind one interface; ``FEED_STRATEGY`` names the one in use.

A strategy is a module with the functions of ``Strategy``. What it does not hold of a timeline, below
the ``floor`` of its answer, is read from the posts themselves (``selectors``), so every strategy shows
the same timeline and differs only in what it costs to write and to read.
"""

from typing import Protocol

from django.conf import settings

from . import buckets, fan_out_on_read
from .entries import Entries


class Strategy(Protocol):
    def deliver(self, *, activity: int, readers: list[int]) -> None:
        """Bring the activity to these readers. Safe to repeat."""

    def entries(self, *, reader: int) -> Entries:
        """What is held for this reader, at a constant number of database commands."""

    def add_older(self, *, reader: int, activities: list[int], floor: int) -> None:
        """Bring older activities (of somebody just followed) to one reader. Safe to repeat.

        ``floor``: the newest activity of theirs that is left out, 0 if none is.
        """

    def warm_among(self, *, readers: list[int]) -> set[int]:
        """For which of these readers anything is held: the others need no older activities."""


STRATEGIES: dict[str, Strategy] = {
    "buckets": buckets,
    "fan_out_on_read": fan_out_on_read,
}


def current() -> Strategy:
    return STRATEGIES[settings.FEED_STRATEGY]
