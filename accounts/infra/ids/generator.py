"""Makes ids. Correct across threads, processes, forks, clocks that step back and lost leases.

Two ids are never equal because a node number belongs to one process at a time, and because the
lease says up to which millisecond its holder may make ids: the next holder of the number starts
above that, whatever either clock says.

Ids follow the clock of this machine, but never lead the database's by more than ``MAX_LEAD_MS``: posts made
while a clock was ahead would stay above all others until it is that late.
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
    """One per process. ``make`` is thread-safe and about a microsecond long, but when it must ask the
    database for a lease: for the first id, and then every half minute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lease: Lease | None = None
        self._last_ms = 0
        self._sequence = 0
        self._retry_renewal_at = 0.0

    def new_id(self) -> int:
        """A new id, larger than all this process made before, unless the database's clock has gone back.

        Raises NoNodeLease when the lease ran out and no new one can be had; then no id is made.
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
            # Both only now: without a lease nothing was made, and nothing may have changed.
            self._last_ms, self._sequence = ms, sequence
            return ms << (NODE_BITS + SEQUENCE_BITS) | lease.node << SEQUENCE_BITS | sequence

    def release_node(self) -> None:
        """Give the node number back; the next id takes a new one."""
        with self._lock:
            if self._lease is not None:
                release_lease(self._lease, used_ms=self._last_ms)
                self._lease = None

    def _usable_lease(self, clock: int) -> Lease:
        lease, now = self._lease, time.monotonic()
        if lease is not None and self._should_renew(lease, clock=clock, now=now):
            # While the old lease lasts, a database that is away for a moment stops nobody.
            self._retry_renewal_at = now + RETRY_SECONDS
            self._lease = lease = renew_lease(lease) or lease
        is_ahead = lease is not None and self._last_ms > lease.max_ms()
        if lease is not None and not is_ahead and self._runs_out(lease, now=now, within_ms=0):
            lease = None
        if lease is None:
            # Another node's number may be lower: its ids must begin with a later millisecond.
            self._lease = None
            self._lease = lease = acquire_lease(min_ms=self._last_ms + 1)
            is_ahead = self._last_ms > lease.max_ms()
        if is_ahead:
            logger.warning(
                "The clock of the database has gone back: ids begin again below the last"
            )
            release_lease(lease, used_ms=self._last_ms)
            self._lease, self._last_ms, self._sequence = None, 0, 0
            self._lease = lease = acquire_lease(min_ms=0)
        return lease

    def _should_renew(self, lease: Lease, *, clock: int, now: float) -> bool:
        # A clock that is ahead, as after a machine has slept: ask what time it is.
        is_due = clock > lease.max_ms() or self._runs_out(lease, now=now, within_ms=RENEW_BEFORE_MS)
        return is_due and now >= self._retry_renewal_at

    def _runs_out(self, lease: Lease, *, now: float, within_ms: int) -> bool:
        is_used_up = self._last_ms + 1 + within_ms > lease.until_ms
        return is_used_up or now + within_ms / 1000 > lease.valid_until


_generator = IdGenerator()


def new_id() -> int:
    """A new id of this process; see ``IdGenerator.make``."""
    return _generator.new_id()


def _start_anew_after_fork() -> None:
    global _generator
    _generator = IdGenerator()


@atexit.register
def _release_at_exit() -> None:
    _generator.release_node()


os.register_at_fork(after_in_child=_start_anew_after_fork)
