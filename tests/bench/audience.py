"""Stage ``audience``: deliveries per second to audiences of 1,000 to 100,000 recipients."""

from typing import Any

from .bucket_rivals import CountedBatched
from .entry_rivals import Clustered
from .progress import ProgressListener
from .sizes import Sizes
from .speed import time_delivery
from .strategy_designs import BUCKETS, FAN_OUT_ON_WRITE, DeliveryDesign, drop_collections
from .workload import Workload

CHUNK_SIZE = 1000
"""Recipients of one delivery, as in an audience bucket."""

MIN_ENTRIES = 10
"""Entries in each inbox before the measurement.

Buckets start with heads as long as those of a busy site, because their speed depends on that length.
"""


def measure(*, sizes: Sizes, progress: ProgressListener) -> dict[str, Any]:
    """Return ``growth.readers.<design>``: [{readers, per_second}]. Needs ``throwaway_database``."""
    figures: dict[str, list[dict[str, float]]] = {}
    for audience in sizes.audiences:
        for name, rate in _rates(audience, sizes.audience_deliveries, progress).items():
            figures.setdefault(name, []).append({"readers": audience, "per_second": rate})
    return {"growth": {"readers": figures}}


def _rates(audience: int, deliveries: int, progress: ProgressListener) -> dict[str, float]:
    workload = Workload(user_count=audience)
    turns: list[DeliveryDesign] = [BUCKETS, FAN_OUT_ON_WRITE, Clustered(), CountedBatched()]
    few, many = (
        workload.growing_inboxes(min_entries=MIN_ENTRIES),
        workload.growing_inboxes(min_entries=50),
    )
    short = [inbox[:MIN_ENTRIES] for inbox in few]
    for turn in turns:
        progress.start_step(label=f"{audience:,} recipients: {turn.name}", total=audience)
        patterns = many if turn is BUCKETS else few if turn.name == "counted_batched" else short
        turn.fill(recipients=workload.uids, patterns=patterns, progress=progress)
    posts = max(2, deliveries // audience)
    progress.start_step(label=f"Delivering to {audience:,}", total=posts)
    seconds = dict.fromkeys((turn.name for turn in turns), 0.0)
    chunks = [workload.uids[at : at + CHUNK_SIZE] for at in range(0, audience, CHUNK_SIZE)]
    for activity in workload.new_activity_ids(posts):
        turns.append(turns.pop(0))
        for turn in turns:
            for chunk in chunks:
                seconds[turn.name] += time_delivery(
                    design=turn, activity=activity, recipients=chunk
                )
        progress.step()
    for turn in turns:
        drop_collections(turn)
    return {name: round(posts * audience / spent, 1) for name, spent in seconds.items()}
