"""Locks that serialize transactions about the same two users.

    pair_locks {_id: stripe, n}

A transaction sees the database as it was when the transaction began. So a follow could miss a concurrent
block, and the block could miss the follow. Both would commit, although only one of them may exist. The
server refuses the second of two transactions only if both *write the same document*.

Therefore every transaction that changes a relationship first increments the counter ``n`` of this pair of
users. Both directions of the relationship have the same counter. If two transactions run at once, the
server refuses one of them. The refused transaction starts again and sees the changes of the other
transaction.

Imports of many follows increment no counters, because one for each follow would cost too much. Only a
concurrent block could make their result wrong, see ``edges.conflict_with_new_edges``.

There are ``STRIPE_COUNT`` counters (stripes) instead of one for each pair, which need only a few megabytes.
Unrelated pairs rarely share a counter. If they do, the only consequence is a retry. A counter for each user
would make all followers of a famous author wait for one another.
"""

import zlib

from accounts.infra.store.connection import session

from .collections import pair_locks

STRIPE_COUNT = 65_536


def lock_pair(*, uid: int, other_uid: int) -> None:
    """Lock two users until the transaction ends. Must be the first command of the transaction.

    The order of the two users does not matter.
    """
    # CRC-32 has the same value in every process, unlike Python's ``hash`` of bytes.
    stripe = zlib.crc32(b"%d:%d" % (min(uid, other_uid), max(uid, other_uid))) % STRIPE_COUNT
    pair_locks().update_one({"_id": stripe}, {"$inc": {"n": 1}}, upsert=True, session=session())
