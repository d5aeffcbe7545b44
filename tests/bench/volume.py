"""How designs change while the data grows, what a delivery takes on disk, and what lies beyond the cache.

The data is made as a site makes it: in the order of time, each post to other readers, beginning with
empty inboxes and going on until old entries are dropped. So what lies side by side in a file, and what
compresses well, is as it would be.
"""

from typing import Any

from django.conf import settings

from feed.timeline.store.seal import SEAL_AT

from . import cold
from .bucket_rivals import CountedBatched
from .disk import cached_bytes, disk_usage, force_checkpoint
from .entry_rivals import Clustered, RecipientsInPost
from .progress import ProgressListener
from .sizes import Sizes
from .speed import time_delivery
from .strategy_designs import BUCKETS, COUNTED_BUCKETS, FAN_OUT_ON_WRITE, DeliveryDesign
from .workload import Workload

AUDIENCE_DIVISOR = 3
"""Each post goes to a third of the readers, by chance."""

SLOW_DIVISOR = 10
"""Slow designs serve a tenth of the readers, as they would all."""

MEASURED_POSTS = 100
"""Posts that tell the speed at one point."""

PATTERN_COUNT = 50
"""After so many readers, inboxes begin alike."""

ENTRY_TOLERANCE = 0.02
PAGE_SIZE = 20
SAMPLED_INBOXES = 5

Figures = dict[str, Any]


class MissingEntries(AssertionError):
    """A design lacks entries that were delivered, so what it costs says nothing."""


def measure(*, sizes: Sizes, progress: ProgressListener, own_server: bool) -> Figures:
    """``growth.deliveries``, ``bytes_per_delivery``, ``disk`` and, if the server is for the bench alone,
    ``cold``. Needs ``throwaway_database``."""
    workload = Workload(user_count=sizes.volume_recipients)
    full: list[DeliveryDesign] = [BUCKETS, FAN_OUT_ON_WRITE, Clustered()]
    part: list[DeliveryDesign] = [RecipientsInPost(), CountedBatched(), COUNTED_BUCKETS]
    growing = _Growing(workload, full, part, progress)
    for goal in sizes.volume_deliveries:
        growing.grow(to=goal)
    last = {name: points[-1] for name, points in growing.points.items()}
    figures: Figures = {
        "growth": {"deliveries": growing.points},
        "bytes_per_delivery": {
            "fan_out_on_read": 0.0,
            **{name: row["bytes_per_delivery"] for name, row in last.items()},
        },
        "disk": {
            row.name: {
                "entries": growing.held(row),
                **disk_usage(row),
                "cached": cached_bytes(row),
            }
            for row in (*full, *part)
        },
    }
    if own_server:
        figures |= cold.measure(sizes=sizes, workload=workload, contenders=full, progress=progress)
    return figures


class _Growing:
    """``points``, by design: [{deliveries, per_second, bytes_per_delivery}], where ``deliveries`` counts
    what all readers got."""

    def __init__(
        self,
        workload: Workload,
        full: list[DeliveryDesign],
        part: list[DeliveryDesign],
        watch: ProgressListener,
    ) -> None:
        self.points: dict[str, list[Figures]] = {}
        self._workload, self._watch, self._done = workload, watch, 0
        readers = workload.uids
        self._served = {row.name: set(readers) for row in full}
        self._served |= {row.name: set(readers[::SLOW_DIVISOR]) for row in part}
        self._turns = [*full, *part]
        self._spent: dict[str, list[tuple[int, float]]] = {turn.name: [] for turn in self._turns}
        patterns = workload.growing_inboxes(min_entries=1)
        begun = {uid: patterns[i % len(patterns)] for i, uid in enumerate(readers)}
        self._totals = {uid: len(stored) for uid, stored in begun.items()}
        self._samples = {uid: list(begun[uid]) for uid in readers[::SLOW_DIVISOR][:SAMPLED_INBOXES]}
        for turn in self._turns:
            served = [uid for uid in readers if uid in self._served[turn.name]]
            watch.start_step(label=f"Begun inboxes: {turn.name}", total=len(served))
            turn.fill(
                recipients=served,
                patterns=[begun[uid] for uid in served[:PATTERN_COUNT]],
                progress=watch,
            )

    def grow(self, *, to: int) -> None:
        readers, chance = self._workload.uids, self._workload.random
        each = len(readers) // AUDIENCE_DIVISOR
        posts = -(-(to - self._done) // each)
        self._watch.start_step(label=f"Growing to {to:,} deliveries", total=posts)
        for activity in self._workload.new_activity_ids(posts):
            audience = chance.sample(readers, each)
            self._turns.append(self._turns.pop(0))
            for turn in self._turns:
                chunk = [uid for uid in audience if uid in self._served[turn.name]]
                if chunk:
                    spent = time_delivery(design=turn, activity=activity, recipients=chunk)
                    self._spent[turn.name].append((len(chunk), spent))
            for uid in audience:
                self._totals[uid] += 1
                if uid in self._samples:
                    self._samples[uid].append(activity)
            self._watch.step()
        self._done += posts * each
        force_checkpoint()
        for turn in self._turns:
            latest = self._spent[turn.name][-MEASURED_POSTS:]
            size, stored = disk_usage(turn), self.held(turn)
            self.points.setdefault(turn.name, []).append(
                {
                    "deliveries": self._done,
                    "per_second": round(sum(n for n, _ in latest) / sum(s for _, s in latest), 1),
                    "bytes_per_delivery": round((size["data"] + size["index"]) / stored, 2),
                }
            )

    def held(self, row: DeliveryDesign) -> int:
        """The entries there are, after a look at whether these are all. Raises NotAllHeld."""
        stored, limit = row.count_entries(), int(settings.FEED_INBOX_MAX)
        totals = [self._totals[uid] for uid in self._served[row.name]]
        # Who drops old entries does so a bucket at a time, or for some readers at a time.
        least = (
            sum(min(total, limit) for total in totals) * (1 - ENTRY_TOLERANCE)
            - len(totals) * SEAL_AT
        )
        least = sum(totals) if max(totals) <= limit - SEAL_AT else least
        right = all(
            row.newest_ids(owner=uid)[:PAGE_SIZE] == ids[: -PAGE_SIZE - 1 : -1]
            for uid, ids in self._samples.items()
        )
        if not (right and least <= stored <= sum(totals)):
            raise MissingEntries(f"{row.name} holds {stored} entries of {sum(totals)}.")
        return stored
