"""Leases of node numbers: one holder each, renewable, free again after they expire.

    node_leases {_id: node (0..1023), holder, expires_at, from_ms, until_ms, server_ms}

Only the server's clock decides about ``expires_at``. ``until_ms`` is the last millisecond (of ids) that the
holder may use; the next holder starts above it. If ``until_ms`` is ahead of the server's clock, after
that clock was wrong, the number stays unavailable until the clock catches up. Only this module and the
``store`` packages use the database driver.
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
"""How much earlier than the server the holder regards its lease as expired."""

MAX_AHEAD_MS = 2_000
"""How far ids may be ahead of the server's clock."""

MAX_NODES_TRIED = 20


class NoNodeLease(RuntimeError):
    """No id is available: the database cannot be reached, or all node numbers are leased."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A node number leased to this process.

    ``from_ms``, ``until_ms`` and ``server_ms`` (the server's clock) are milliseconds of the id layout.
    ``valid_until`` and ``server_read_at`` are seconds of ``time.monotonic``. The server read its clock at
    ``server_read_at`` or earlier.
    """

    node: int
    holder: str
    from_ms: int
    until_ms: int
    valid_until: float
    server_ms: int
    server_read_at: float

    def max_ms(self) -> int:
        """Return the highest millisecond that an id may have now."""
        elapsed = int((time.monotonic() - self.server_read_at) * 1000)
        return self.server_ms + elapsed + MAX_AHEAD_MS


def acquire_lease(*, min_ms: int) -> Lease:
    """Take a free node number for ``LEASE_MS``. Raises NoNodeLease."""
    holder = secrets.token_hex(8)
    # Random numbers first: on a small site they are nearly always free.
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
    """Extend the lease by ``LEASE_MS``. Return None if it is lost or the database is unavailable."""
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
    """Release the number at once. The next holder starts above ``used_ms``."""
    until_ms = max(used_ms, lease.from_ms - 1)
    with contextlib.suppress(PyMongoError):
        _leases().update_one(
            {"_id": lease.node, "holder": lease.holder},
            {"$set": {"holder": None, "expires_at": _LONG_AGO, "until_ms": until_ms}},
        )


def _take(node: int, holder: str, at_least_ms: int) -> Lease | None:
    asked_at, leases = time.monotonic(), _leases()
    # A pipeline stage reads the fields as they were before it.
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
