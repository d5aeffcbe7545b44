"""Where two transactions about the same two people meet.

    pair_locks {_id: stripe, n}

A transaction sees the database as it was when it began. So one that follows could miss the block that
another one is about to write, and the other one the follow; each would commit, and both would stand.
The server only refuses the second of two transactions that *write the same document*. Therefore every
transaction that changes how two people stand to each other first raises a counter that belongs to
both of them, whichever of them acts: of two at once, one is refused and run again from the start,
when it sees what the other did. So all that happens between two people happens one after another.

There are ``STRIPES`` such counters and not one for each pair (lock striping): they take a few
megabytes for ever, and strangers share one so rarely that it costs a second try now and then.
A counter for each person would make all followers of a famous author wait for one another.
"""

import zlib
from collections.abc import Iterable

from .collections import pair_locks, session

STRIPE_COUNT = 65_536


def lock_pair(*, one: int, other: int) -> None:
    """The first command of a transaction about two people."""
    pair_locks().update_one(
        {"_id": _stripe(one, other)}, {"$inc": {"n": 1}}, upsert=True, session=session()
    )


def lock_pairs(*, pairs: Iterable[tuple[int, int]]) -> None:
    """As ``meet``, for very many pairs: one command, and two more while there are new stripes."""
    stripes = sorted({_stripe(one, other) for one, other in pairs})
    wanted = {"_id": {"$in": stripes}}
    raised = pair_locks().update_many(wanted, {"$inc": {"n": 1}}, session=session())
    if raised.matched_count == len(stripes):
        return
    # Who makes the same ones meanwhile is met in a duplicate key.
    known = {one["_id"] for one in pair_locks().find(wanted, {"_id": 1}, session=session())}
    new = [{"_id": stripe, "n": 1} for stripe in stripes if stripe not in known]
    pair_locks().insert_many(new, session=session())


def _stripe(one: int, other: int) -> int:
    # The same in every process, and for both orders of the two.
    return zlib.crc32(b"%d:%d" % (min(one, other), max(one, other))) % STRIPE_COUNT
