"""Stage ``speed``: deliveries per second, and their CPU time on both sides.

The designs take turns, post by post, so that other load on the machine affects all designs.
"""

import resource
import sys
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any, Protocol

from feed.timeline import strategies

from . import database_info
from .bucket_rivals import Bare, CountedAsPublished, CountedBatched
from .entry_rivals import Clustered, RecipientsInPost
from .progress import ProgressListener
from .sizes import Sizes
from .strategy_designs import (
    BUCKETS,
    COUNTED_BUCKETS,
    FAN_OUT_ON_WRITE,
    BucketsInThreads,
    DeliveryDesign,
)
from .workload import Workload

PUBLISHED_RECIPIENTS = 100
PUBLISHED_POSTS = 3
"""The published design is so slow that a few deliveries are enough."""

SLOW_DESIGN_INTERVAL = 10
"""The slowest strategy delivers only every tenth post."""

Rates = dict[str, float]


@dataclass(slots=True)
class Work:
    """The sums over the deliveries of a design. ``server_us`` stays 0 without permission to read it."""

    deliveries: int = 0
    seconds: float = 0.0
    client_us: float = 0.0
    server_us: float = 0.0

    @property
    def rate(self) -> float:
        return self.deliveries / self.seconds


class Deliverer(Protocol):
    def deliver(self, *, activity: int, recipients: list[int]) -> None: ...


def measure(*, sizes: Sizes, progress: ProgressListener) -> dict[str, Any]:
    """Deliver posts to warm users with full inboxes, and return the figures of each design.

    In each of the ``pairs`` measurements, ``posts`` posts are delivered. ``deliveries_per_second``,
    ``cpu_us`` and ``ratios`` are medians over the measurements. Needs ``throwaway_database``.
    """
    workload = Workload(user_count=sizes.recipients)
    fast: list[DeliveryDesign] = [
        BUCKETS,
        FAN_OUT_ON_WRITE,
        Clustered(),
        RecipientsInPost(),
        CountedBatched(),
    ]
    slow: list[DeliveryDesign] = [COUNTED_BUCKETS]
    full = workload.full_inboxes()
    for design in (*fast, *slow):
        progress.start_step(label=f"Full inboxes: {design.name}", total=sizes.recipients)
        fewer = 0 if design is BUCKETS else sizes.rival_entries
        patterns = [stored[-fewer - i :] for i, stored in enumerate(full)] if fewer else full
        design.fill(recipients=workload.uids, patterns=patterns, progress=progress)
    turns = _Turns(workload, fast, slow)
    turns.published.deliver(activity=0, recipients=turns.published_recipients)
    progress.start_step(
        label="Delivering",
        total=sizes.warm_up_posts + sizes.pairs * (sizes.posts + PUBLISHED_POSTS),
    )
    turns.take(sizes.warm_up_posts, progress)
    measured = []
    for _ in range(sizes.pairs):
        works = turns.take(sizes.posts, progress)
        measured.append({**works, "counted_published": turns.take_published(progress)})
    pairs = [{name: work.rate for name, work in works.items()} for works in measured]
    return {
        "deliveries_per_second": {
            name: round(median(rates[name] for rates in pairs), 1) for name in pairs[0]
        },
        "cpu_us": {
            name: {
                side: round(median(_cpu_per_delivery(works[name], side) for works in measured), 2)
                for side in ("client", "server")
            }
            for name in measured[0]
        },
        "ratios": {
            "threads_to_one_thread": _ratio(pairs, "buckets", of="buckets_in_threads"),
            "buckets_to_bare": _ratio(pairs, "bare"),
            "buckets_to_counted": _ratio(pairs, "counted_published"),
            **{
                f"buckets_to_{name}": _ratio(pairs, name)
                for name in ("counted_batched", "counted_buckets", "fan_out_on_write", "clustered")
            },
        },
        "pairs": [{name: round(rate, 1) for name, rate in rates.items()} for rates in pairs],
        "memory": {
            "process_peak_bytes": _process_peak_bytes(),
            "mongod_resident_bytes": database_info.resident_bytes(),
        },
        "workload": {
            "readers": sizes.recipients,
            "posts": sizes.posts,
            "pairs": sizes.pairs,
            "threads": strategies.DELIVERY_THREADS,
        },
    }


class _Turns:
    def __init__(
        self, workload: Workload, fast: list[DeliveryDesign], slow: list[DeliveryDesign]
    ) -> None:
        self.published = CountedAsPublished()
        self.published_recipients = workload.uids[:PUBLISHED_RECIPIENTS]
        self._workload, self._bare = workload, Bare()
        self._fast: list[tuple[str, Deliverer]] = [(design.name, design) for design in fast]
        self._fast += [("bare", self._bare), (BucketsInThreads.name, BucketsInThreads())]
        self._slow: list[tuple[str, Deliverer]] = [(design.name, design) for design in slow]

    def take(self, posts: int, progress: ProgressListener) -> dict[str, Work]:
        """Return the work of all designs, except ``CountedAsPublished``."""
        works: dict[str, Work] = defaultdict(Work)
        for number, activity in enumerate(self._workload.new_activity_ids(posts)):
            self._fast.append(self._fast.pop(0))  # another design is first for each post
            turns = self._fast if number % SLOW_DESIGN_INTERVAL else [*self._fast, *self._slow]
            for name, design in turns:
                _deliver(works[name], design, activity, self._workload.uids)
            self._bare.trim_inboxes()
            progress.step()
        return works

    def take_published(self, progress: ProgressListener) -> Work:
        work = Work()
        for activity in self._workload.new_activity_ids(PUBLISHED_POSTS):
            _deliver(work, self.published, activity, self.published_recipients)
            progress.step()
        return work


def _deliver(work: Work, design: Deliverer, activity: int, recipients: list[int]) -> None:
    """Deliver a post and add its costs to ``work``."""
    server_before, client_before = database_info.cpu_us(), process_time()
    work.seconds += time_delivery(design=design, activity=activity, recipients=recipients)
    work.client_us += (process_time() - client_before) * 1e6
    server_after = database_info.cpu_us()
    if server_before is not None and server_after is not None:
        work.server_us += server_after - server_before
    work.deliveries += len(recipients)


def _cpu_per_delivery(work: Work, side: str) -> float:
    return (work.client_us if side == "client" else work.server_us) / work.deliveries


def time_delivery(*, design: Deliverer, activity: int, recipients: list[int]) -> float:
    """Deliver a post and return the time in seconds."""
    began = perf_counter()
    design.deliver(activity=activity, recipients=recipients)
    return perf_counter() - began


def _ratio(pairs: list[Rates], rival: str, *, of: str = "buckets") -> float:
    return round(median(rates[of] / rates[rival] for rates in pairs), 3)


def _process_peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
