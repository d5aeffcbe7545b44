"""Deliveries per second. The designs take turns, post by post, so that whatever else the machine does
meets all alike."""

import resource
import sys
from statistics import median
from time import perf_counter
from typing import Any, Protocol

from feed.store import server

from .one_each import Clustered, RecipientsInPost
from .rivals import Bare, CountedAsPublished, CountedBatched
from .sizes import Sizes
from .strategic import BUCKETS, COUNTED_BUCKETS, FAN_OUT_ON_WRITE, Contender
from .watch import Watch
from .workload import Workload

PUBLISHED_READERS = 100
PUBLISHED_POSTS = 3
"""The published design is so slow that few deliveries tell its speed."""

SLOW_TURNS = 10
"""The slowest strategy takes its turn at each tenth post only."""

Rates = dict[str, float]


class Delivers(Protocol):
    def deliver(self, *, activity: int, readers: list[int]) -> None: ...


def measure(*, sizes: Sizes, watch: Watch) -> dict[str, Any]:
    """Deliver ``pairs`` times ``posts`` posts to warm readers with full inboxes, by each design.

    ``deliveries_per_second`` and ``ratios`` are medians over the pairs. Needs ``throwaway_database``.
    """
    workload = Workload(readers=sizes.readers)
    fast: list[Contender] = [
        BUCKETS,
        FAN_OUT_ON_WRITE,
        Clustered(),
        RecipientsInPost(),
        CountedBatched(),
    ]
    slow: list[Contender] = [COUNTED_BUCKETS]
    full = workload.full_inboxes()
    for one in (*fast, *slow):
        watch.begin(label=f"Full inboxes: {one.name}", total=sizes.readers)
        fewer = 0 if one is BUCKETS else sizes.rivals_hold
        patterns = [held[-fewer - i :] for i, held in enumerate(full)] if fewer else full
        one.fill(readers=workload.readers, patterns=patterns, watch=watch)
    turns = _Turns(workload, fast, slow)
    turns.published.deliver(activity=0, readers=turns.few)
    watch.begin(
        label="Delivering",
        total=sizes.settling_posts + sizes.pairs * (sizes.posts + PUBLISHED_POSTS),
    )
    turns.take(sizes.settling_posts, watch)
    measured = []
    for _ in range(sizes.pairs):
        rates = turns.take(sizes.posts, watch)
        measured.append({**rates, "counted_published": turns.take_published(watch)})
    return {
        "deliveries_per_second": {
            name: round(median(one[name] for one in measured), 1) for name in measured[0]
        },
        "ratios": {
            "buckets_to_bare": _ratio(measured, "bare"),
            "buckets_to_counted": _ratio(measured, "counted_published"),
            **{
                f"buckets_to_{name}": _ratio(measured, name)
                for name in ("counted_batched", "counted_buckets", "fan_out_on_write", "clustered")
            },
        },
        "pairs": [{name: round(rate, 1) for name, rate in one.items()} for one in measured],
        "memory": {
            "process_peak_bytes": _process_peak_bytes(),
            "mongod_resident_bytes": server.resident_bytes(),
        },
        "workload": {"readers": sizes.readers, "posts": sizes.posts, "pairs": sizes.pairs},
    }


class _Turns:
    def __init__(self, workload: Workload, fast: list[Contender], slow: list[Contender]) -> None:
        self.published, self.few = CountedAsPublished(), workload.readers[:PUBLISHED_READERS]
        self._workload, self._bare = workload, Bare()
        self._fast: list[tuple[str, Delivers]] = [(one.name, one) for one in fast]
        self._fast.append(("bare", self._bare))
        self._slow: list[tuple[str, Delivers]] = [(one.name, one) for one in slow]

    def take(self, posts: int, watch: Watch) -> Rates:
        """Deliveries per second of all but the published design."""
        seconds = {name: 0.0 for name, _ in (*self._fast, *self._slow)}
        delivered = dict.fromkeys(seconds, 0)
        for number, activity in enumerate(self._workload.next_activities(posts)):
            self._fast.append(self._fast.pop(0))  # nobody is always first
            turns = self._fast if number % SLOW_TURNS else [*self._fast, *self._slow]
            for name, design in turns:
                seconds[name] += timed(
                    design=design, activity=activity, readers=self._workload.readers
                )
                delivered[name] += len(self._workload.readers)
            self._bare.trim()
            watch.step()
        return {name: delivered[name] / spent for name, spent in seconds.items()}

    def take_published(self, watch: Watch) -> float:
        seconds = 0.0
        for activity in self._workload.next_activities(PUBLISHED_POSTS):
            seconds += timed(design=self.published, activity=activity, readers=self.few)
            watch.step()
        return PUBLISHED_POSTS * len(self.few) / seconds


def timed(*, design: Delivers, activity: int, readers: list[int]) -> float:
    """The seconds that one delivery takes."""
    began = perf_counter()
    design.deliver(activity=activity, readers=readers)
    return perf_counter() - began


def _ratio(measured: list[Rates], rival: str) -> float:
    return round(median(one["buckets"] / one[rival] for one in measured), 3)


def _process_peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
