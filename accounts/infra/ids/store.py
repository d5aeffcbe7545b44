"""Leases of node numbers. Each number has one holder, who can renew the lease until it expires.

    node_leases {_id: node (0..1023), holder, expires_at, from_ms, until_ms, server_ms}

Leases expire by the server's clock. ``until_ms`` is the last millisecond of ids that the holder may use,
and the next holder starts above this millisecond. If the server's clock goes back, ``until_ms`` can be
ahead of the clock. The number then stays unavailable until the clock catches up.

Only this module and the ``store`` packages use the database driver.
"""

import contextlib
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from random import randrange
from typing import Any, cast

from django.db import connection
from pymongo import ReturnDocument
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError, PyMongoError

from .layout import EPOCH_MS, NODES

LEASE_MS = 60_000
MARGIN_SECONDS = 5.0
"""The holder treats its lease as expired this much earlier than the server does."""

MAX_AHEAD_MS = 2_000
"""How far ids may be ahead of the server's clock, in milliseconds."""

MAX_NODES_TRIED = 20


class NoNodeLease(RuntimeError):
    """No node number is available: the database is unreachable, or other processes hold all numbers."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A node number leased to this process.

    Attributes:
        from_ms: first millisecond for ids of this lease, in the id layout.
        until_ms: last millisecond for ids of this lease.
        server_ms: the server's clock at the last renewal, in milliseconds of the id layout.
        valid_until: end of the lease, in seconds of ``time.monotonic``.
        server_read_at: upper bound for the moment of ``server_ms``, in seconds of ``time.monotonic``.
    """

    node: int
    holder: str
    from_ms: int
    until_ms: int
    valid_until: float
    server_ms: int
    server_read_at: float

    def max_ms(self) -> int:
        """Return the highest millisecond that an id may contain at this moment."""
        elapsed = int((time.monotonic() - self.server_read_at) * 1000)
        return self.server_ms + elapsed + MAX_AHEAD_MS


def acquire_lease(*, min_ms: int) -> Lease:
    """Lease a free node number for ``LEASE_MS``. Raises NoNodeLease.

    ``min_ms``: lower bound of the lease's ``from_ms``.
    """
    holder = secrets.token_hex(8)
    # Try random numbers first. On a site with few processes, a random number is nearly always free.
    numbers = [randrange(NODES) for _ in range(MAX_NODES_TRIED)]  # noqa: S311 - not a secret
    try:
        for node in numbers:
            if lease := _take(node, holder, min_ms):
                return lease
        for free in _leases().find(_FREE, {"_id": 1}).limit(MAX_NODES_TRIED):
            if lease := _take(free["_id"], holder, min_ms):
                return lease
    except PyMongoError as error:
        raise NoNodeLease("The database that leases node numbers cannot be reached.") from error
    raise NoNodeLease(f"All {NODES} node numbers are leased to other processes.")


def renew_lease(lease: Lease) -> Lease | None:
    """Extend the lease by ``LEASE_MS``. Returns None if this fails.

    The renewal fails if the lease has expired, another process holds the number, or the database is
    unreachable.
    """
    asked_at = time.monotonic()
    own_lease = {
        "_id": lease.node,
        "holder": lease.holder,
        "$expr": {"$gt": ["$expires_at", "$$NOW"]},
    }
    try:
        after: dict[str, Any] | None = _leases().find_one_and_update(
            own_lease,
            [{"$set": {"expires_at": _IN_ONE_LEASE, "until_ms": _UNTIL_MS, "server_ms": _NOW_MS}}],
            return_document=ReturnDocument.AFTER,
        )
    except PyMongoError:
        return None
    return None if after is None else _lease(after, lease.from_ms, asked_at)


def release_lease(lease: Lease, *, used_ms: int) -> None:
    """Release the node number at once. The next holder starts above ``used_ms``."""
    until_ms = max(used_ms, lease.from_ms - 1)
    with contextlib.suppress(PyMongoError):
        _leases().update_one(
            {"_id": lease.node, "holder": lease.holder},
            {"$set": {"holder": None, "expires_at": _LONG_AGO, "until_ms": until_ms}},
        )


def _take(node: int, holder: str, at_least_ms: int) -> Lease | None:
    asked_at, leases = time.monotonic(), _leases()
    # In this stage, ``$until_ms`` is still the value of the previous lease.
    new_lease = {
        "holder": holder,
        "expires_at": _IN_ONE_LEASE,
        "from_ms": {"$max": [at_least_ms, {"$add": ["$until_ms", 1]}]},
        "until_ms": _UNTIL_MS,
        "server_ms": _NOW_MS,
    }
    after: dict[str, Any] | None = leases.find_one_and_update(
        {"_id": node, **_FREE}, [{"$set": new_lease}], return_document=ReturnDocument.AFTER
    )
    if after is not None:
        return _lease(after, after["from_ms"], asked_at)
    try:
        leases.insert_one({"_id": node, "holder": None, "expires_at": _LONG_AGO, "until_ms": 0})
    except DuplicateKeyError:
        return None
    return _take(node, holder, at_least_ms)


_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
_IN_ONE_LEASE = {"$add": ["$$NOW", LEASE_MS]}
_NOW_MS = {"$subtract": [{"$toLong": "$$NOW"}, EPOCH_MS]}
_UNTIL_MS = {"$add": [_NOW_MS, LEASE_MS]}
_FREE = {
    "$expr": {
        "$and": [
            {"$lte": ["$expires_at", "$$NOW"]},
            {"$lt": ["$until_ms", {"$add": [_NOW_MS, MAX_AHEAD_MS]}]},
        ]
    }
}


def _lease(document: dict[str, Any], from_ms: int, asked_at: float) -> Lease:
    return Lease(
        node=document["_id"],
        holder=document["holder"],
        from_ms=from_ms,
        until_ms=document["until_ms"],
        valid_until=asked_at + LEASE_MS / 1000 - MARGIN_SECONDS,
        server_ms=document["server_ms"],
        server_read_at=time.monotonic(),
    )


def _leases() -> Collection[dict[str, Any]]:
    return cast("Collection[dict[str, Any]]", cast("Any", connection).database["node_leases"])
