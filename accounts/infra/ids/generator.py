"""Generator of unique ids, despite threads, several processes, forks, clocks that go back and lost leases.

Ids are unique for two reasons. Only one process at a time holds a node number. And a lease limits the
milliseconds that its holder may use: the next holder of the number starts above that limit, even if a clock
is wrong.

Ids follow the clock of this machine, but are at most ``MAX_AHEAD_MS`` ahead of the database's clock.
Without this limit, posts created by a machine with a fast clock would stay above all other posts for too
long.
"""

import atexit
import logging
import os
import threading
import time

from .layout import EPOCH_MS, NODE_BITS, SEQUENCE_BITS, SEQUENCES
from .store import LEASE_MS, Lease, acquire_lease, release_lease, renew_lease

logger = logging.getLogger(__name__)

RENEW_BEFORE_MS = LEASE_MS // 2
RETRY_SECONDS = 1.0


def _clock_ms() -> int:
    return time.time_ns() // 1_000_000 - EPOCH_MS


class IdGenerator:
    """The id generator of one process. ``new_id`` is thread-safe and takes about a microsecond.

    The generator asks the database for a lease at the first id, and then renews the lease every half
    minute.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lease: Lease | None = None
        self._last_ms = 0
        self._sequence = 0
        self._retry_renewal_at = 0.0

    def new_id(self) -> int:
        """Return an id that is larger than all earlier ids of this process.

        Exception: if the database's clock went back, ids start lower again. Raises NoNodeLease if the lease
        expired and no new lease is available.
        """
        return self._next_ids(1).start

    def new_ids(self, count: int) -> list[int]:
        """Return ``count`` ids in ascending order. Faster than ``count`` calls of ``new_id``."""
        ids: list[int] = []
        while len(ids) < count:
            ids += self._next_ids(count - len(ids))
        return ids

    def _next_ids(self, max_count: int) -> range:
        """Return at least one and at most ``max_count`` ids, all of the same millisecond."""
        with self._lock:
            clock = _clock_ms()
            lease = self._usable_lease(clock)
            ms, sequence = max(min(clock, lease.max_ms()), self._last_ms), 0
            if ms == self._last_ms:
                sequence = self._sequence + 1
                if sequence == SEQUENCES:
                    ms, sequence = ms + 1, 0
            # A new lease may begin later than this process's clock.
            if ms < lease.from_ms:
                ms, sequence = lease.from_ms, 0
            end = min(sequence + max_count, SEQUENCES)
            # Update the state last, so that a failed lease leaves the state unchanged.
            self._last_ms, self._sequence = ms, end - 1
            base = ms << (NODE_BITS + SEQUENCE_BITS) | lease.node << SEQUENCE_BITS
            return range(base + sequence, base + end)

    def release_node(self) -> None:
        """Release the node number. The next id acquires another node number."""
        with self._lock:
            if self._lease is not None:
                release_lease(self._lease, used_ms=self._last_ms)
                self._lease = None

    def _usable_lease(self, clock: int) -> Lease:
        lease, now = self._lease, time.monotonic()
        if lease is not None and self._should_renew(lease, clock=clock, now=now):
            # If the renewal fails, keep using the old lease until it expires, and retry after a second.
            self._retry_renewal_at = now + RETRY_SECONDS
            self._lease = lease = renew_lease(lease) or lease
        is_ahead = lease is not None and self._last_ms > lease.max_ms()
        if lease is not None and not is_ahead and self._runs_out(lease, now=now, within_ms=0):
            lease = None
        if lease is None:
            # The new node number may be lower than the old number. A later millisecond keeps the ids
            # ascending.
            self._lease = None
            self._lease = lease = acquire_lease(min_ms=self._last_ms + 1)
            is_ahead = self._last_ms > lease.max_ms()
        if is_ahead:
            logger.warning("The database clock went back: new ids are lower than the last id")
            release_lease(lease, used_ms=self._last_ms)
            self._lease, self._last_ms, self._sequence = None, 0, 0
            self._lease = lease = acquire_lease(min_ms=0)
        return lease

    def _should_renew(self, lease: Lease, *, clock: int, now: float) -> bool:
        # If this clock is ahead, for example after the machine slept, a renewal reads the server's current
        # time.
        is_due = clock > lease.max_ms() or self._runs_out(lease, now=now, within_ms=RENEW_BEFORE_MS)
        return is_due and now >= self._retry_renewal_at

    def _runs_out(self, lease: Lease, *, now: float, within_ms: int) -> bool:
        is_used_up = self._last_ms + 1 + within_ms > lease.until_ms
        return is_used_up or now + within_ms / 1000 > lease.valid_until


_generator = IdGenerator()


def new_id() -> int:
    """Return a new id from this process's generator. See ``IdGenerator.new_id``."""
    return _generator.new_id()


def new_ids(*, count: int) -> list[int]:
    """Return new ids from this process's generator. See ``IdGenerator.new_ids``."""
    return _generator.new_ids(count)


def _replace_generator() -> None:
    global _generator
    _generator = IdGenerator()


@atexit.register
def _release_at_exit() -> None:
    _generator.release_node()


os.register_at_fork(after_in_child=_replace_generator)
