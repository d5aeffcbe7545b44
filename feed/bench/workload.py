"""Who reads and what is published, and what inboxes hold before it is measured."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count, islice
from random import Random
from zlib import crc32

from accounts.ids import first_id_at
from feed.store.sealing import BUCKET_SIZE, SEAL_AT
from feed.strategies import buckets

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

    def __init__(self, *, readers: int, seed: int = 1) -> None:
        self.chance = Random(seed)  # noqa: S311 - not a secret
        self.readers = list(islice(self._ids(_FIRST_READER), readers))
        self._activities = self._ids(_FIRST_ACTIVITY)

    def next_activities(self, number: int) -> list[int]:
        return list(islice(self._activities, number))

    def full_inboxes(self) -> list[list[int]]:
        """What readers hold in the steady state: full inboxes, so that each bucket that is cut drops
        another. ``patterns``: as ``growing_inboxes``."""
        sealed = buckets.buckets_kept() * BUCKET_SIZE
        past = self.next_activities(sealed + SEAL_AT)
        return [past[: sealed + length] for length in range(BUCKET_SIZE, SEAL_AT)]

    def growing_inboxes(self, *, least: int) -> list[list[int]]:
        """Inboxes that differ evenly in length by up to a bucketful, as those of people who follow
        different people do: each post then finds the same share of them due for sealing. Readers take
        them by turns."""
        past = self.next_activities(least + BUCKET_SIZE)
        return [past[: least + more] for more in range(BUCKET_SIZE)]

    def _ids(self, first: int) -> Iterator[int]:
        for start in count(first, _A_SECOND):
            node = self.chance.randrange(_NODES) * _A_NODE
            yield start + self.chance.randrange(1000) * _A_MILLISECOND + node


def gen_of(owner: int) -> int:
    """The life of a reader's inbox: an id of its own, as of a later moment."""
    return owner + (crc32(b"%d" % owner) << 12)
