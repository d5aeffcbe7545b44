"""Stage ``speed``: deliveries per second.

The designs take turns, post by post, so that other load on the machine affects all designs.
"""

import resource
import sys
from statistics import median
from time import perf_counter
from typing import Any, Protocol

from accounts.infra.store import database_info

from .bucket_rivals import Bare, CountedAsPublished, CountedBatched
from .entry_rivals import Clustered, RecipientsInPost
from .progress import ProgressListener
from .sizes import Sizes
from .strategy_designs import BUCKETS, COUNTED_BUCKETS, FAN_OUT_ON_WRITE, DeliveryDesign
from .workload import Workload

PUBLISHED_RECIPIENTS = 100
PUBLISHED_POSTS = 3
"""The published design is so slow that a few deliveries are enough."""

SLOW_DESIGN_INTERVAL = 10
"""The slowest strategy delivers only every tenth post."""

Rates = dict[str, float]


class Deliverer(Protocol):
    def deliver(self, *, activity: int, recipients: list[int]) -> None: ...


def measure(*, sizes: Sizes, progress: ProgressListener) -> dict[str, Any]:
    """Deliver posts to warm users with full inboxes, and return the figures of each design.

    In each of the ``pairs`` measurements, ``posts`` posts are delivered. ``deliveries_per_second`` and
    ``ratios`` are medians over the measurements. Needs ``throwaway_database``.
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
        rates = turns.take(sizes.posts, progress)
        measured.append({**rates, "counted_published": turns.take_published(progress)})
    return {
        "deliveries_per_second": {
            name: round(median(rates[name] for rates in measured), 1) for name in measured[0]
        },
        "ratios": {
            "buckets_to_bare": _ratio(measured, "bare"),
            "buckets_to_counted": _ratio(measured, "counted_published"),
            **{
                f"buckets_to_{name}": _ratio(measured, name)
                for name in ("counted_batched", "counted_buckets", "fan_out_on_write", "clustered")
            },
        },
        "pairs": [{name: round(rate, 1) for name, rate in rates.items()} for rates in measured],
        "memory": {
            "process_peak_bytes": _process_peak_bytes(),
            "mongod_resident_bytes": database_info.resident_bytes(),
        },
        "workload": {"readers": sizes.recipients, "posts": sizes.posts, "pairs": sizes.pairs},
    }


class _Turns:
    def __init__(
        self, workload: Workload, fast: list[DeliveryDesign], slow: list[DeliveryDesign]
    ) -> None:
        self.published = CountedAsPublished()
        self.published_recipients = workload.uids[:PUBLISHED_RECIPIENTS]
        self._workload, self._bare = workload, Bare()
        self._fast: list[tuple[str, Deliverer]] = [(design.name, design) for design in fast]
        self._fast.append(("bare", self._bare))
        self._slow: list[tuple[str, Deliverer]] = [(design.name, design) for design in slow]

    def take(self, posts: int, progress: ProgressListener) -> Rates:
        """Return the deliveries per second of all designs, except ``CountedAsPublished``."""
        seconds = {name: 0.0 for name, _ in (*self._fast, *self._slow)}
        delivered = dict.fromkeys(seconds, 0)
        for number, activity in enumerate(self._workload.new_activity_ids(posts)):
            self._fast.append(self._fast.pop(0))  # another design is first for each post
            turns = self._fast if number % SLOW_DESIGN_INTERVAL else [*self._fast, *self._slow]
            for name, design in turns:
                seconds[name] += time_delivery(
                    design=design, activity=activity, recipients=self._workload.uids
                )
                delivered[name] += len(self._workload.uids)
            self._bare.trim_inboxes()
            progress.step()
        return {name: delivered[name] / spent for name, spent in seconds.items()}

    def take_published(self, progress: ProgressListener) -> float:
        seconds = 0.0
        for activity in self._workload.new_activity_ids(PUBLISHED_POSTS):
            seconds += time_delivery(
                design=self.published, activity=activity, recipients=self.published_recipients
            )
            progress.step()
        return PUBLISHED_POSTS * len(self.published_recipients) / seconds


def time_delivery(*, design: Deliverer, activity: int, recipients: list[int]) -> float:
    """Deliver a post and return the time in seconds."""
    began = perf_counter()
    design.deliver(activity=activity, recipients=recipients)
    return perf_counter() - began


def _ratio(measured: list[Rates], rival: str) -> float:
    return round(median(rates["buckets"] / rates[rival] for rates in measured), 3)


def _process_peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
