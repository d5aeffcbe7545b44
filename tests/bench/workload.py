"""Who reads and what is published, and what inboxes hold before it is measured."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count, islice
from random import Random
from zlib import crc32

from accounts.infra.ids import first_id_at
from feed.timeline.store.seal import BUCKET_SIZE, SEAL_AT
from feed.timeline.strategies import buckets

_FIRST_READER = first_id_at(moment=datetime(2024, 1, 1, tzinfo=UTC))
_FIRST_ACTIVITY = first_id_at(moment=datetime(2025, 1, 1, tzinfo=UTC))
_A_SECOND = first_id_at(moment=datetime(2025, 1, 1, 0, 0, 1, tzinfo=UTC)) - _FIRST_ACTIVITY
_A_MILLISECOND = _A_SECOND // 1000
_A_NODE = 1 << 12
_NODES = 8


class Workload:
    """Readers, and activities that never come twice; the same for a seed.

    Like all ids these are 63 bits, in order of time and with milliseconds and a node, for data of round
    numbers would be smaller on disk than real data; they are not made by ``new_id``, because nobody
    leases node numbers here.
    """

    def __init__(self, *, user_count: int, seed: int = 1) -> None:
        self.random = Random(seed)
        self.uids = list(islice(self._ids(_FIRST_READER), user_count))
        self._activities = self._ids(_FIRST_ACTIVITY)

    def new_activity_ids(self, number: int) -> list[int]:
        return list(islice(self._activities, number))

    def full_inboxes(self) -> list[list[int]]:
        """What readers hold in the steady state: full inboxes, so that each bucket that is cut drops
        another. ``patterns``: as ``growing_inboxes``."""
        sealed = buckets.max_buckets() * BUCKET_SIZE
        past = self.new_activity_ids(sealed + SEAL_AT)
        return [past[: sealed + length] for length in range(BUCKET_SIZE, SEAL_AT)]

    def growing_inboxes(self, *, min_entries: int) -> list[list[int]]:
        """Inboxes that differ evenly in length by up to a bucketful, as those of people who follow
        different people do: each post then finds the same share of them due for sealing. Readers take
        them by turns."""
        past = self.new_activity_ids(min_entries + BUCKET_SIZE)
        return [past[: min_entries + more] for more in range(BUCKET_SIZE)]

    def _ids(self, first: int) -> Iterator[int]:
        for start in count(first, _A_SECOND):
            node = self.random.randrange(_NODES) * _A_NODE
            yield start + self.random.randrange(1000) * _A_MILLISECOND + node


def generation_of(owner_id: int) -> int:
    """The life of a reader's inbox: an id of its own, as of a later moment."""
    return owner_id + (crc32(b"%d" % owner_id) << 12)
