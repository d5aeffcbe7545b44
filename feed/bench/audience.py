"""How deliveries per second change with the audience: from a thousand readers to a hundred thousand."""

from typing import Any

from .one_each import Clustered
from .rivals import CountedBatched
from .sizes import Sizes
from .speed import timed
from .strategic import BUCKETS, FAN_OUT_ON_WRITE, Contender, drop
from .watch import Watch
from .workload import Workload

CHUNK = 1000
"""Readers in one delivery, as in an audience bucket."""

HELD = 10
"""Entries that a reader of one document each holds at least before. Buckets begin with open buckets as
long as those of a busy site, for there the length of the array costs."""


def measure(*, sizes: Sizes, watch: Watch) -> dict[str, Any]:
    """``growth.readers.<design>``: [{readers, per_second}]. Needs ``throwaway_database``."""
    figures: dict[str, list[dict[str, float]]] = {}
    for readers in sizes.audiences:
        for name, rate in _of(readers, sizes.audience_deliveries, watch).items():
            figures.setdefault(name, []).append({"readers": readers, "per_second": rate})
    return {"growth": {"readers": figures}}


def _of(audience: int, deliveries: int, watch: Watch) -> dict[str, float]:
    workload = Workload(readers=audience)
    turns: list[Contender] = [BUCKETS, FAN_OUT_ON_WRITE, Clustered(), CountedBatched()]
    few, many = workload.growing_inboxes(least=HELD), workload.growing_inboxes(least=50)
    short = [held[:HELD] for held in few]
    for one in turns:
        watch.begin(label=f"{audience:,} readers: {one.name}", total=audience)
        patterns = many if one is BUCKETS else few if one.name == "counted_batched" else short
        one.fill(readers=workload.readers, patterns=patterns, watch=watch)
    posts = max(2, deliveries // audience)
    watch.begin(label=f"Delivering to {audience:,}", total=posts)
    seconds = dict.fromkeys((one.name for one in turns), 0.0)
    chunks = [workload.readers[at : at + CHUNK] for at in range(0, audience, CHUNK)]
    for activity in workload.next_activities(posts):
        turns.append(turns.pop(0))
        for one in turns:
            for readers in chunks:
                seconds[one.name] += timed(design=one, activity=activity, readers=readers)
        watch.step()
    for one in turns:
        drop(one)
    return {name: round(posts * audience / spent, 1) for name, spent in seconds.items()}
