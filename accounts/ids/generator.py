"""Makes ids. Correct across threads, processes, forks, clocks that step back and lost leases.

Two ids are never equal because a node number belongs to one process at a time, and because the
lease says up to which millisecond its holder may make ids: the next holder of the number starts
above that, whatever either clock says.
"""

import atexit
import os
import threading
import time

from .layout import EPOCH_MS, NODE_BITS, SEQUENCE_BITS, SEQUENCES
from .leases import LEASE_MS, Lease, acquire, release, renew

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

    def make(self) -> int:
        """A new id, larger than all this process made before.

        Raises NoNodeLease when the lease ran out and no new one can be had; then no id is made.
        """
        with self._lock:
            ms, sequence = max(_clock_ms(), self._last_ms), 0
            if ms == self._last_ms:
                sequence = self._sequence + 1
                if sequence == SEQUENCES:
                    ms, sequence = ms + 1, 0
            lease = self._usable_lease(ms)
            # A fresh lease may begin later than this process's own clock.
            if ms < lease.from_ms:
                ms, sequence = lease.from_ms, 0
            # Both only now: without a lease nothing was made, and nothing may have changed.
            self._last_ms, self._sequence = ms, sequence
            return ms << (NODE_BITS + SEQUENCE_BITS) | lease.node << SEQUENCE_BITS | sequence

    def close(self) -> None:
        """Give the node number back; the next id takes a new one."""
        with self._lock:
            if self._lease is not None:
                release(self._lease, used_ms=self._last_ms)
                self._lease = None

    def _usable_lease(self, ms: int) -> Lease:
        lease, now = self._lease, time.monotonic()
        if lease is not None and self._runs_out(lease, ms=ms, now=now, within_ms=RENEW_BEFORE_MS):
            if now >= self._retry_renewal_at:
                # While the old lease lasts, a database that is away for a moment stops nobody.
                self._retry_renewal_at = now + RETRY_SECONDS
                self._lease = lease = renew(lease, used_ms=ms) or lease
            if self._runs_out(lease, ms=ms, now=now, within_ms=0):
                self._lease = lease = None
        if lease is None:
            # Another node's number may be lower: its ids must begin with a later millisecond.
            self._lease = lease = acquire(at_least_ms=max(ms, self._last_ms + 1))
        return lease

    @staticmethod
    def _runs_out(lease: Lease, *, ms: int, now: float, within_ms: int) -> bool:
        return ms + within_ms > lease.until_ms or now + within_ms / 1000 > lease.valid_until


_generator = IdGenerator()


def new_id() -> int:
    """A new id of this process; see ``IdGenerator.make``."""
    return _generator.make()


def _start_anew_after_fork() -> None:
    global _generator
    _generator = IdGenerator()


@atexit.register
def _release_at_exit() -> None:
    _generator.close()


os.register_at_fork(after_in_child=_start_anew_after_fork)
