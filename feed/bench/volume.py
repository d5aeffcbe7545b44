"""How designs change while the data grows, what a delivery takes on disk, and what lies beyond the cache.

The data is made as a site makes it: in the order of time, each post to other readers, beginning with
empty inboxes and going on until old entries are dropped. So what lies side by side in a file, and what
compresses well, is as it would be.
"""

from typing import Any

from django.conf import settings

from feed.store.sealing import SEAL_AT

from . import cold
from .disk import bytes_cached, checkpoint, sizes_of
from .one_each import Clustered, RecipientsInPost
from .rivals import CountedBatched
from .sizes import Sizes
from .speed import timed
from .strategic import BUCKETS, COUNTED_BUCKETS, FAN_OUT_ON_WRITE, Contender
from .watch import Watch
from .workload import Workload

SHARE = 3
"""Each post goes to a third of the readers, by chance."""

PART = 10
"""Slow designs serve a tenth of the readers, as they would all."""

LATEST = 100
"""Posts that tell the speed at one point."""

PERIOD = 50
"""After so many readers, inboxes begin alike."""

SLACK = 0.02
PAGE = 20
SAMPLES = 5

Figures = dict[str, Any]


class NotAllHeld(AssertionError):
    """A design lacks entries that were delivered, so what it costs says nothing."""


def measure(*, sizes: Sizes, watch: Watch, own_server: bool) -> Figures:
    """``growth.deliveries``, ``bytes_per_delivery``, ``disk`` and, if the server is for the bench alone,
    ``cold``. Needs ``throwaway_database``."""
    workload = Workload(readers=sizes.volume_readers)
    full: list[Contender] = [BUCKETS, FAN_OUT_ON_WRITE, Clustered()]
    part: list[Contender] = [RecipientsInPost(), CountedBatched(), COUNTED_BUCKETS]
    growing = _Growing(workload, full, part, watch)
    for goal in sizes.volume_deliveries:
        growing.grow(to=goal)
    last = {name: points[-1] for name, points in growing.points.items()}
    figures: Figures = {
        "growth": {"deliveries": growing.points},
        "bytes_per_delivery": {
            "fan_out_on_read": 0.0,
            **{name: one["bytes_per_delivery"] for name, one in last.items()},
        },
        "disk": {
            one.name: {
                "entries": growing.held(one),
                **sizes_of(one),
                "cached": bytes_cached(one),
            }
            for one in (*full, *part)
        },
    }
    if own_server:
        figures |= cold.measure(sizes=sizes, workload=workload, contenders=full, watch=watch)
    return figures


class _Growing:
    """``points``, by design: [{deliveries, per_second, bytes_per_delivery}], where ``deliveries`` counts
    what all readers got."""

    def __init__(
        self, workload: Workload, full: list[Contender], part: list[Contender], watch: Watch
    ) -> None:
        self.points: dict[str, list[Figures]] = {}
        self._workload, self._watch, self._done = workload, watch, 0
        readers = workload.readers
        self._served = {one.name: set(readers) for one in full}
        self._served |= {one.name: set(readers[::PART]) for one in part}
        self._turns = [*full, *part]
        self._spent: dict[str, list[tuple[int, float]]] = {one.name: [] for one in self._turns}
        patterns = workload.growing_inboxes(least=1)
        begun = {uid: patterns[i % len(patterns)] for i, uid in enumerate(readers)}
        self._totals = {uid: len(held) for uid, held in begun.items()}
        self._samples = {uid: list(begun[uid]) for uid in readers[::PART][:SAMPLES]}
        for one in self._turns:
            served = [uid for uid in readers if uid in self._served[one.name]]
            watch.begin(label=f"Begun inboxes: {one.name}", total=len(served))
            one.fill(readers=served, patterns=[begun[uid] for uid in served[:PERIOD]], watch=watch)

    def grow(self, *, to: int) -> None:
        readers, chance = self._workload.readers, self._workload.chance
        each = len(readers) // SHARE
        posts = -(-(to - self._done) // each)
        self._watch.begin(label=f"Growing to {to:,} deliveries", total=posts)
        for activity in self._workload.next_activities(posts):
            audience = chance.sample(readers, each)
            self._turns.append(self._turns.pop(0))
            for one in self._turns:
                chunk = [uid for uid in audience if uid in self._served[one.name]]
                if chunk:
                    spent = timed(design=one, activity=activity, readers=chunk)
                    self._spent[one.name].append((len(chunk), spent))
            for uid in audience:
                self._totals[uid] += 1
                if uid in self._samples:
                    self._samples[uid].append(activity)
            self._watch.step()
        self._done += posts * each
        checkpoint()
        for one in self._turns:
            latest = self._spent[one.name][-LATEST:]
            size, held = sizes_of(one), self.held(one)
            self.points.setdefault(one.name, []).append(
                {
                    "deliveries": self._done,
                    "per_second": round(sum(n for n, _ in latest) / sum(s for _, s in latest), 1),
                    "bytes_per_delivery": round((size["data"] + size["index"]) / held, 2),
                }
            )

    def held(self, one: Contender) -> int:
        """The entries there are, after a look at whether these are all. Raises NotAllHeld."""
        held, limit = one.held(), int(settings.FEED_INBOX_MAX)
        totals = [self._totals[uid] for uid in self._served[one.name]]
        # Who drops old entries does so a bucket at a time, or for some readers at a time.
        least = sum(min(total, limit) for total in totals) * (1 - SLACK) - len(totals) * SEAL_AT
        least = sum(totals) if max(totals) <= limit - SEAL_AT else least
        right = all(
            one.newest(reader=uid)[:PAGE] == ids[: -PAGE - 1 : -1]
            for uid, ids in self._samples.items()
        )
        if not (right and least <= held <= sum(totals)):
            raise NotAllHeld(f"{one.name} holds {held} entries of {sum(totals)}.")
        return held
