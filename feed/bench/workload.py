"""Who reads and what is published, and inboxes in the state in which a busy site's are."""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count, islice

from django.utils import timezone

from accounts.ids import first_id_at
from feed.store import inboxes
from feed.store.sealing import BUCKET_SIZE, SEAL_AT
from feed.strategies import buckets

_FIRST_READER = first_id_at(moment=datetime(2024, 1, 1, tzinfo=UTC))
_FIRST_ACTIVITY = first_id_at(moment=datetime(2025, 1, 1, tzinfo=UTC))
_A_SECOND = first_id_at(moment=datetime(2025, 1, 1, 0, 0, 1, tzinfo=UTC)) - _FIRST_ACTIVITY


class Workload:
    """Readers, and activities that never come twice. Like all ids these are 63 bits, in order of
    time; they are not made by ``new_id``, because nobody leases node numbers here."""

    def __init__(self, *, readers: int) -> None:
        self.readers = [_FIRST_READER + i * _A_SECOND for i in range(readers)]
        self._activities = count(_FIRST_ACTIVITY, _A_SECOND)

    def next_activities(self, number: int) -> list[int]:
        return list(islice(self._activities, number))

    def warm_inboxes(self, *, step: Callable[[], None]) -> None:
        """Give every reader a full inbox, so that each bucket that is cut drops another.

        The open buckets differ evenly in length, as those of people who follow different people do:
        each post then finds the same share of them due for sealing. ``step`` is called per reader.
        """
        inboxes.prepare()
        sealed = buckets.buckets_kept() * BUCKET_SIZE
        lengths = range(BUCKET_SIZE, SEAL_AT)
        past = self.next_activities(sealed + SEAL_AT)
        for i, owner in enumerate(self.readers):
            now, held = timezone.now(), past[: sealed + lengths[i % len(lengths)]]
            inboxes.create_head(owner=owner, gen=owner, now=now)
            inboxes.finish_head(owner=owner, gen=owner, missing=held, floor=0, now=now)
            step()
        buckets.seal(readers=self.readers)
