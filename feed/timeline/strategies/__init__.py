"""Ways to bring posts to readers, behind one interface; ``FEED_STRATEGY`` names the one in use.

Pages read the ``current`` one. Whoever writes calls the functions here, which write to all that are kept
up: while a live site changes from one to another (``switching``), these are two.

A strategy is a module with the functions of ``Strategy``. What it does not hold of a timeline, below
the ``floor`` of its answer, is read from the posts themselves (``selectors``), so every strategy shows
the same timeline and differs only in what it costs to write and to read.
"""

from datetime import datetime
from typing import Protocol

from .. import selection
from . import buckets, counted_buckets, fan_out_on_read, fan_out_on_write
from .contents import InboxContents


class Strategy(Protocol):
    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        """Bring the activity to these readers. Safe to repeat."""

    def read_inbox(self, *, owner: int) -> InboxContents:
        """What is held for this reader, at a constant number of database commands."""

    def add_older(self, *, owner: int, activities: list[int], floor: int) -> None:
        """Bring older activities (of somebody just followed) to one reader. Safe to repeat.

        ``floor``: the newest activity of theirs that is left out, 0 if none is.
        """

    def build_inbox(self, *, owner: int) -> None:
        """Begin and fill the reader's inbox, if that is still to be done. Safe to repeat."""

    @property
    def lifecycle(self) -> "InboxLifecycle":
        """For whom anything is held, and how that ends."""


class InboxLifecycle(Protocol):
    def owners_among(self, *, owners: list[int]) -> set[int]:
        """For which of these readers anything is held: the others need no older activities."""

    def recent_owners(self, *, limit: int) -> list[int]:
        """The readers who came last, the latest first."""

    def drop_dormant(self, *, before: datetime, limit: int) -> int:
        """Drop what is held for up to ``limit`` readers who have not come since; returns how many."""

    def owners_after(self, *, above: int, limit: int) -> list[int]:
        """The first readers above an id for whom anything is held, in the order of their ids."""

    def drop_generations(self, *, below: int) -> None:
        """Drop all inboxes that were begun before this id was made. Safe to repeat."""


STRATEGIES: dict[str, Strategy] = {
    "buckets": buckets,
    "fan_out_on_read": fan_out_on_read,
    "fan_out_on_write": fan_out_on_write,
    "counted_buckets": counted_buckets,
}


def active_strategy() -> Strategy:
    """The one that is read."""
    return STRATEGIES[selection.current_selection().active]


def written_strategies() -> list[Strategy]:
    """All that are kept up."""
    return [STRATEGIES[name] for name in selection.current_selection().written]


def deliver(*, activity: int, recipients: list[int]) -> None:
    """As ``Strategy.deliver``, to all that are kept up. To be called after the post is stored."""
    for strategy in written_strategies():
        strategy.deliver(activity=activity, recipients=recipients)


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    """As ``Strategy.add_older``, to all that are kept up. To be called after the follow is stored."""
    for strategy in written_strategies():
        strategy.add_older(owner=owner, activities=activities, floor=floor)


def warm_owners(*, uids: list[int]) -> set[int]:
    """For which of these readers anything is held by any that is kept up."""
    return set().union(*(one.lifecycle.owners_among(owners=uids) for one in written_strategies()))


def drop_dormant(*, before: datetime, limit: int) -> int:
    """As ``Inboxes.drop_unseen``, of all that are kept up, up to ``limit`` of each."""
    return sum(
        one.lifecycle.drop_dormant(before=before, limit=limit) for one in written_strategies()
    )
