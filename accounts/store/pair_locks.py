"""Locks that serialize transactions about the same two users.

    pair_locks {_id: stripe, n}

A transaction sees the database as it was when it began. So a follow could miss a block that another
transaction is about to write, and the block could miss the follow. Both would commit, and both would
stand. The server refuses the second of two transactions only if both *write the same document*.

Therefore every transaction that changes a relationship first increments a counter that belongs to both
users, whichever of them acts. If two run at once, the server refuses one, which runs again from the
start and sees what the other did.

There are ``STRIPE_COUNT`` counters instead of one for each pair (lock striping). They take a few
megabytes forever, and unrelated pairs share one so rarely that it only costs an occasional retry.
A counter for each user would make all followers of a famous author wait for one another.
"""

import zlib
from collections.abc import Iterable

from accounts.infra.store.connection import session

from .collections import pair_locks

STRIPE_COUNT = 65_536


def lock_pair(*, uid: int, other_uid: int) -> None:
    """Lock two users, in any order, until the transaction ends. Call it before any other command."""
    pair_locks().update_one(
        {"_id": _stripe(uid, other_uid)}, {"$inc": {"n": 1}}, upsert=True, session=session()
    )


def lock_pairs(*, pairs: Iterable[tuple[int, int]]) -> None:
    """Lock many pairs: one command, and two more while counters are missing."""
    stripes = sorted({_stripe(uid, other_uid) for uid, other_uid in pairs})
    query = {"_id": {"$in": stripes}}
    result = pair_locks().update_many(query, {"$inc": {"n": 1}}, session=session())
    if result.matched_count == len(stripes):
        return
    # If another transaction inserts the same counters, a duplicate key refuses one of the two.
    present = {row["_id"] for row in pair_locks().find(query, {"_id": 1}, session=session())}
    missing = [{"_id": stripe, "n": 1} for stripe in stripes if stripe not in present]
    pair_locks().insert_many(missing, session=session())


def _stripe(uid: int, other_uid: int) -> int:
    # CRC-32 is the same in every process; min and max make the order of the two irrelevant.
    return zlib.crc32(b"%d:%d" % (min(uid, other_uid), max(uid, other_uid))) % STRIPE_COUNT
