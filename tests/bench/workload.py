"""The users, activities and initial inboxes of the measurements."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count, islice
from random import Random
from zlib import crc32

from accounts.infra.ids import first_id_at
from feed.timeline.store.seal import BUCKET_SIZE, SEAL_AT
from feed.timeline.strategies import buckets

_FIRST_UID = first_id_at(moment=datetime(2024, 1, 1, tzinfo=UTC))
_FIRST_ACTIVITY = first_id_at(moment=datetime(2025, 1, 1, tzinfo=UTC))
_SECOND = first_id_at(moment=datetime(2025, 1, 1, 0, 0, 1, tzinfo=UTC)) - _FIRST_ACTIVITY
_MILLISECOND = _SECOND // 1000
_NODE = 1 << 12
_NODES = 8


class Workload:
    """Users and unique activity ids, which are the same for the same seed.

    The ids have the form of real ids: 63 bits, ordered by time, with milliseconds and a node. Round numbers
    would need less disk space. ``new_id`` is not used, because the temporary database has no node leases.
    """

    def __init__(self, *, user_count: int, seed: int = 1) -> None:
        self.random = Random(seed)
        self.uids = list(islice(self._ids(_FIRST_UID), user_count))
        self._activities = self._ids(_FIRST_ACTIVITY)

    def new_activity_ids(self, number: int) -> list[int]:
        return list(islice(self._activities, number))

    def full_inboxes(self) -> list[list[int]]:
        """Return full inboxes as lists of activity ids. A full inbox drops a bucket for each new bucket.

        The lengths of the inboxes differ as in ``growing_inboxes``.
        """
        sealed = buckets.max_buckets() * BUCKET_SIZE
        past = self.new_activity_ids(sealed + SEAL_AT)
        return [past[: sealed + length] for length in range(BUCKET_SIZE, SEAL_AT)]

    def growing_inboxes(self, *, min_entries: int) -> list[list[int]]:
        """Return ``BUCKET_SIZE`` inboxes as lists of activity ids, with ``min_entries`` or more entries.

        Each inbox has one entry more than the previous inbox. Users follow different users, so inboxes on a
        site have such different lengths. With these inboxes, about the same number of heads becomes full
        with each post.
        """
        past = self.new_activity_ids(min_entries + BUCKET_SIZE)
        return [past[: min_entries + more] for more in range(BUCKET_SIZE)]

    def _ids(self, first: int) -> Iterator[int]:
        for start in count(first, _SECOND):
            node = self.random.randrange(_NODES) * _NODE
            yield start + self.random.randrange(1000) * _MILLISECOND + node


def generation_of(owner_id: int) -> int:
    """Return a generation for the inbox of a user: an id above the uid."""
    return owner_id + (crc32(b"%d" % owner_id) << 12)
