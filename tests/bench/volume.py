"""Stage ``volume``: the speed of designs while data grows, the disk space per delivery, and small caches.

The data is written as on a site: in order of time, each post to different recipients, from nearly empty
inboxes until old entries are dropped. So the documents in the files have a realistic order, on which
compression depends.
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
"""Each post is delivered to a random third of the recipients."""

SLOW_DIVISOR = 10
"""Slow designs deliver to a tenth of the recipients."""

MEASURED_POSTS = 100
"""Number of latest posts whose deliveries are measured each time the data has grown to a goal."""

PATTERN_COUNT = 50
"""Number of different inboxes at the start."""

ENTRY_TOLERANCE = 0.02
PAGE_SIZE = 20
SAMPLED_INBOXES = 5

Figures = dict[str, Any]


class MissingEntries(AssertionError):
    """A design has lost delivered entries, so its figures are invalid."""


def measure(*, sizes: Sizes, progress: ProgressListener, own_server: bool) -> Figures:
    """Return ``growth.deliveries``, ``bytes_per_delivery``, ``disk`` and ``cold``.

    ``cold`` is measured on a separate server only. Needs ``throwaway_database``.
    """
    workload = Workload(user_count=sizes.volume_recipients)
    fast: list[DeliveryDesign] = [BUCKETS, FAN_OUT_ON_WRITE, Clustered()]
    slow: list[DeliveryDesign] = [RecipientsInPost(), CountedBatched(), COUNTED_BUCKETS]
    growing = _Growing(workload, fast, slow, progress)
    for goal in sizes.volume_deliveries:
        growing.grow(to=goal)
    last = {name: points[-1] for name, points in growing.points.items()}
    figures: Figures = {
        "growth": {"deliveries": growing.points},
        "bytes_per_delivery": {
            "fan_out_on_read": 0.0,
            **{name: point["bytes_per_delivery"] for name, point in last.items()},
        },
        "disk": {
            design.name: {
                "entries": growing.count_entries(design),
                **disk_usage(design),
                "cached": cached_bytes(design),
            }
            for design in (*fast, *slow)
        },
    }
    if own_server:
        figures |= cold.measure(sizes=sizes, workload=workload, contenders=fast, progress=progress)
    return figures


class _Growing:
    """Data that grows in all designs.

    ``points`` maps designs to ``[{deliveries, per_second, bytes_per_delivery}]``. ``deliveries`` is the
    number of deliveries to all recipients, even for slow designs, which deliver only to a tenth of the
    recipients.
    """

    def __init__(
        self,
        workload: Workload,
        fast: list[DeliveryDesign],
        slow: list[DeliveryDesign],
        progress: ProgressListener,
    ) -> None:
        self.points: dict[str, list[Figures]] = {}
        self._workload, self._progress, self._done = workload, progress, 0
        recipients = workload.uids
        self._served = {design.name: set(recipients) for design in fast}
        self._served |= {design.name: set(recipients[::SLOW_DIVISOR]) for design in slow}
        self._designs = [*fast, *slow]
        self._spent: dict[str, list[tuple[int, float]]] = {
            design.name: [] for design in self._designs
        }
        patterns = workload.growing_inboxes(min_entries=1)
        first_inboxes = {uid: patterns[i % len(patterns)] for i, uid in enumerate(recipients)}
        self._totals = {uid: len(stored) for uid, stored in first_inboxes.items()}
        self._samples = {
            uid: list(first_inboxes[uid]) for uid in recipients[::SLOW_DIVISOR][:SAMPLED_INBOXES]
        }
        for design in self._designs:
            served = [uid for uid in recipients if uid in self._served[design.name]]
            progress.start_step(label=f"First inboxes: {design.name}", total=len(served))
            design.fill(
                recipients=served,
                patterns=[first_inboxes[uid] for uid in served[:PATTERN_COUNT]],
                progress=progress,
            )

    def grow(self, *, to: int) -> None:
        recipients, chance = self._workload.uids, self._workload.random
        audience_size = len(recipients) // AUDIENCE_DIVISOR
        posts = -(-(to - self._done) // audience_size)
        self._progress.start_step(label=f"Growing to {to:,} deliveries", total=posts)
        for activity in self._workload.new_activity_ids(posts):
            audience = chance.sample(recipients, audience_size)
            self._designs.append(self._designs.pop(0))
            for design in self._designs:
                chunk = [uid for uid in audience if uid in self._served[design.name]]
                if chunk:
                    spent = time_delivery(design=design, activity=activity, recipients=chunk)
                    self._spent[design.name].append((len(chunk), spent))
            for uid in audience:
                self._totals[uid] += 1
                if uid in self._samples:
                    self._samples[uid].append(activity)
            self._progress.step()
        self._done += posts * audience_size
        force_checkpoint()
        for design in self._designs:
            latest = self._spent[design.name][-MEASURED_POSTS:]
            size, stored = disk_usage(design), self.count_entries(design)
            self.points.setdefault(design.name, []).append(
                {
                    "deliveries": self._done,
                    "per_second": round(sum(n for n, _ in latest) / sum(s for _, s in latest), 1),
                    "bytes_per_delivery": round((size["data"] + size["index"]) / stored, 2),
                }
            )

    def count_entries(self, design: DeliveryDesign) -> int:
        """Return the number of stored entries.

        Raises MissingEntries if delivered entries are missing.
        """
        stored, limit = design.count_entries(), int(settings.FEED_INBOX_MAX)
        totals = [self._totals[uid] for uid in self._served[design.name]]
        # A lower bound, because some designs drop a whole bucket of old entries at a time.
        minimum = (
            sum(min(total, limit) for total in totals) * (1 - ENTRY_TOLERANCE)
            - len(totals) * SEAL_AT
        )
        minimum = sum(totals) if max(totals) <= limit - SEAL_AT else minimum
        is_sample_complete = all(
            design.newest_ids(owner=uid)[:PAGE_SIZE] == ids[: -PAGE_SIZE - 1 : -1]
            for uid, ids in self._samples.items()
        )
        if not (is_sample_complete and minimum <= stored <= sum(totals)):
            raise MissingEntries(f"{design.name} holds {stored} entries of {sum(totals)}.")
        return stored
