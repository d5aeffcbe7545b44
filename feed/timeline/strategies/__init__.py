"""The four strategies of the home timeline, with one interface. ``FEED_STRATEGY`` selects one.

Pages read the active strategy. Writers call the functions here, which write to every strategy in use: two
strategies while a live site switches (``strategy_switch``), otherwise one.

A strategy is a module with the functions of ``Strategy``. Below the ``floor`` of an inbox, pages read the
posts themselves (``candidates``). So all strategies show the same timeline and differ only in their costs.
"""

from datetime import datetime
from typing import Protocol

from accounts.infra.store.unions import Query, UnionResult

from .. import selection
from . import buckets, counted_buckets, fan_out_on_read, fan_out_on_write
from .contents import InboxContents

DELIVERY_THREADS = 2
"""Number of threads of each task. More than one gains only with idle cores."""


MIN_OWNERS_PER_THREAD = 250
"""Each thread gets at least this many inboxes. With fewer, threads cost more than they gain."""


class Strategy(Protocol):
    def deliver(self, *, activity: int, recipients: list[int], threads: int = 1) -> None:
        """Deliver the activity to these inboxes, divided among threads (``threads``). Safe to repeat."""

    def head_queries(self, *, owner: int) -> list[Query]:
        """Return the query for the head of an inbox, to read it with others in one command."""

    def read_inbox(self, *, owner: int, union: UnionResult | None = None) -> InboxContents:
        """Return the contents of an inbox, with a constant number of database commands.

        ``union``: a result that includes that of ``head_queries``, None to read the head here.
        """

    def add_older(self, *, owner: int, activities: list[int], floor: int) -> None:
        """Add older activities of newly followed users to one inbox. Safe to repeat.

        ``floor`` is the newest activity of these users that is not in ``activities``, 0 if none is missing.
        """

    def build_inbox(self, *, owner: int) -> None:
        """Create and fill the inbox unless it is already built. Safe to repeat."""

    @property
    def lifecycle(self) -> "InboxLifecycle":
        """Return the object that lists and drops inboxes."""


class InboxLifecycle(Protocol):
    """The methods of ``store.lifecycle.InboxLifecycle`` that do not depend on the strategy."""

    def owners_among(self, *, owners: list[int]) -> set[int]: ...
    def recent_owners(self, *, limit: int) -> list[int]: ...
    def drop_dormant(self, *, before: datetime, limit: int) -> int: ...
    def owners_after(self, *, above: int, limit: int) -> list[int]: ...
    def drop_generations(self, *, below: int) -> None: ...


STRATEGIES: dict[str, Strategy] = {
    "buckets": buckets,
    "fan_out_on_read": fan_out_on_read,
    "fan_out_on_write": fan_out_on_write,
    "counted_buckets": counted_buckets,
}


def active_strategy() -> Strategy:
    """Return the strategy that serves pages."""
    return STRATEGIES[selection.used_strategies()[0]]


def written_strategies() -> list[Strategy]:
    """Return all strategies that get deliveries."""
    return [STRATEGIES[name] for name in selection.used_strategies()]


def deliver(*, activity: int, recipients: list[int], threads: int = 1) -> None:
    """Deliver the activity with every written strategy. The post must be stored before."""
    for strategy in written_strategies():
        strategy.deliver(activity=activity, recipients=recipients, threads=threads)


def deliver_in_threads(*, activity: int, recipients: list[int]) -> None:
    """Deliver with up to ``DELIVERY_THREADS`` threads, if there are many recipients.

    Only workers deliver like this, because web processes need their cores for other requests.
    """
    most = len(recipients) // MIN_OWNERS_PER_THREAD
    threads = max(1, min(DELIVERY_THREADS, most))
    deliver(activity=activity, recipients=recipients, threads=threads)


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    """Add older activities with every written strategy. The follow must be stored before."""
    for strategy in written_strategies():
        strategy.add_older(owner=owner, activities=activities, floor=floor)


def warm_owners(*, uids: list[int]) -> set[int]:
    """Return the users among ``uids`` who have an inbox in any written strategy."""
    return set().union(
        *(strategy.lifecycle.owners_among(owners=uids) for strategy in written_strategies())
    )


def drop_dormant(*, before: datetime, limit: int) -> int:
    """Drop up to ``limit`` dormant inboxes of each written strategy. Return the number dropped."""
    return sum(
        strategy.lifecycle.drop_dormant(before=before, limit=limit)
        for strategy in written_strategies()
    )
