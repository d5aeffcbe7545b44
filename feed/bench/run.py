"""The designs take turns, post by post, so that whatever else the machine does meets all alike."""

import resource
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any, Protocol

from feed.store import server
from feed.strategies import buckets

from .rivals import Bare, CountedAsPublished
from .workload import Workload

COUNTED_READERS = 100
COUNTED_POSTS = 3
"""The published design is so slow that few deliveries tell its speed."""

SETTLING_POSTS = 20

Step = Callable[[], None]
Rates = dict[str, float]


class Delivers(Protocol):
    def deliver(self, *, activity: int, readers: list[int]) -> None: ...


def steps(*, readers: int, posts: int, pairs: int) -> int:
    """How often ``run`` calls ``step``."""
    return readers + SETTLING_POSTS + pairs * (posts + COUNTED_POSTS)


def run(*, readers: int, posts: int, pairs: int, step: Step) -> dict[str, Any]:
    """Deliver ``pairs`` times ``posts`` posts to ``readers`` warm readers, by each design.

    ``deliveries_per_second`` and ``ratios`` are medians over the pairs: one of the default strategy,
    sealing and trimming included, and one of the bare loop, interleaved. Needs ``throwaway_database``.
    """
    workload = Workload(readers=readers)
    workload.warm_inboxes(step=step)
    bare, counted = Bare(), CountedAsPublished()
    few = workload.readers[:COUNTED_READERS]
    counted.deliver(activity=0, readers=few)
    _one_pair(bare, workload, SETTLING_POSTS, step)
    measured: list[Rates] = []
    for _ in range(pairs):
        rates = _one_pair(bare, workload, posts, step)
        seconds = 0.0
        for activity in workload.next_activities(COUNTED_POSTS):
            seconds += _timed(counted, activity, few)
            step()
        measured.append({**rates, "counted_published": COUNTED_POSTS * len(few) / seconds})
    return {
        "deliveries_per_second": {
            name: round(median(one[name] for one in measured), 1) for name in measured[0]
        },
        "ratios": {
            "buckets_to_bare": _ratio(measured, "bare"),
            "buckets_to_counted": _ratio(measured, "counted_published"),
        },
        "pairs": [{name: round(rate, 1) for name, rate in one.items()} for one in measured],
        "memory": {
            "process_peak_bytes": _process_peak_bytes(),
            "mongod_resident_bytes": server.resident_bytes(),
        },
        "workload": {"readers": readers, "posts": posts, "pairs": pairs},
    }


def _one_pair(bare: Bare, workload: Workload, posts: int, step: Step) -> Rates:
    seconds = {"buckets": 0.0, "bare": 0.0}
    turns: list[tuple[str, Delivers]] = [("buckets", buckets), ("bare", bare)]
    for activity in workload.next_activities(posts):
        turns.reverse()  # nobody is always first
        for name, design in turns:
            seconds[name] += _timed(design, activity, workload.readers)
        bare.trim()
        step()
    return {name: posts * len(workload.readers) / spent for name, spent in seconds.items()}


def _timed(design: Delivers, activity: int, readers: list[int]) -> float:
    began = perf_counter()
    design.deliver(activity=activity, readers=readers)
    return perf_counter() - began


def _ratio(measured: list[Rates], rival: str) -> float:
    return round(median(one["buckets"] / one[rival] for one in measured), 3)


def _process_peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
