"""Id generator, correct across threads, processes, forks, clocks that step back and lost leases.

Ids are unique for two reasons. A node number belongs to one process at a time. The lease limits the
milliseconds that its holder may use, and the next holder of the number starts above that limit, whatever
either clock says.

Ids follow the clock of this machine, but are never ahead of the database's clock by more than
``MAX_AHEAD_MS``. Otherwise posts created while a clock is ahead would stay above all others until real time
catches up.
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
    """The generator of a process. ``new_id`` is thread-safe and takes about a microsecond.

    For the first id, and then every half minute, it asks the database for a lease.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lease: Lease | None = None
        self._last_ms = 0
        self._sequence = 0
        self._retry_renewal_at = 0.0

    def new_id(self) -> int:
        """Return an id larger than all before it in this process, unless the database's clock went back.

        Raises NoNodeLease if the lease expired and no new lease is available.
        """
        with self._lock:
            clock = _clock_ms()
            lease = self._usable_lease(clock)
            ms, sequence = max(min(clock, lease.max_ms()), self._last_ms), 0
            if ms == self._last_ms:
                sequence = self._sequence + 1
                if sequence == SEQUENCES:
                    ms, sequence = ms + 1, 0
            # A fresh lease may begin later than this process's own clock.
            if ms < lease.from_ms:
                ms, sequence = lease.from_ms, 0
            # Not earlier: a failed lease must leave the state unchanged.
            self._last_ms, self._sequence = ms, sequence
            return ms << (NODE_BITS + SEQUENCE_BITS) | lease.node << SEQUENCE_BITS | sequence

    def release_node(self) -> None:
        """Release the node number. The next id acquires a new one."""
        with self._lock:
            if self._lease is not None:
                release_lease(self._lease, used_ms=self._last_ms)
                self._lease = None

    def _usable_lease(self, clock: int) -> Lease:
        lease, now = self._lease, time.monotonic()
        if lease is not None and self._should_renew(lease, clock=clock, now=now):
            # The old lease stays valid while the database is briefly unavailable.
            self._retry_renewal_at = now + RETRY_SECONDS
            self._lease = lease = renew_lease(lease) or lease
        is_ahead = lease is not None and self._last_ms > lease.max_ms()
        if lease is not None and not is_ahead and self._runs_out(lease, now=now, within_ms=0):
            lease = None
        if lease is None:
            # The new node number may be lower, so its ids must start at a later millisecond.
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
        # A clock that is ahead (after the machine slept) needs the server's current time.
        is_due = clock > lease.max_ms() or self._runs_out(lease, now=now, within_ms=RENEW_BEFORE_MS)
        return is_due and now >= self._retry_renewal_at

    def _runs_out(self, lease: Lease, *, now: float, within_ms: int) -> bool:
        is_used_up = self._last_ms + 1 + within_ms > lease.until_ms
        return is_used_up or now + within_ms / 1000 > lease.valid_until


_generator = IdGenerator()


def new_id() -> int:
    """Return a new id from the generator of this process. See ``IdGenerator.new_id``."""
    return _generator.new_id()


def _replace_generator() -> None:
    global _generator
    _generator = IdGenerator()


@atexit.register
def _release_at_exit() -> None:
    _generator.release_node()


os.register_at_fork(after_in_child=_replace_generator)
