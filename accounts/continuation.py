"""Continuation documents: lists without end, in numbered buckets that go on where one is full.

    {<whose list it is>, seq, <items>: [at most a capacity], n}      unique (<whose list it is>, seq)

The pattern is what MongoDB's Asya Kamsky called the Wil Wheaton effect: an array in one document outgrows
it for the few with hundreds of thousands. Numbered buckets can be read from any point, and a change touches
exactly one. The second index, (<whose list it is>, seq descending, n), finds the newest with room without
reading a bucket.
"""

from typing import Any

ASCENDING, DESCENDING = 1, -1


def prepare(*, collection: Any, whose: tuple[str, ...]) -> None:
    """Make the two indexes that ``append`` needs."""
    chain = [(name, ASCENDING) for name in whose]
    collection.create_index([*chain, ("seq", ASCENDING)], unique=True)
    collection.create_index([*chain, ("seq", DESCENDING), ("n", ASCENDING)])


def append(
    *, collection: Any, whose: dict[str, int], items: str, item: Any, capacity: int, session: Any
) -> tuple[int, int]:
    """Put the item at the end of the newest bucket with room, or into a new one; where it is: (seq, place).

    Only inside a transaction (``transactions``, with ``retry_duplicate_keys``): two writers that open the
    same bucket meet in a duplicate key or a write conflict, and one transaction is run again.
    """
    newest_first = [*((name, ASCENDING) for name in whose), ("seq", DESCENDING)]
    pushed = collection.find_one_and_update(
        {**whose, "n": {"$lt": capacity}},
        {"$push": {items: item}, "$inc": {"n": 1}},
        sort=[("seq", DESCENDING)],
        projection={"seq": 1, "n": 1},
        hint=[*newest_first, ("n", ASCENDING)],
        session=session,
    )
    if pushed is not None:
        return int(pushed["seq"]), int(pushed["n"])
    newest = collection.find_one(whose, {"seq": 1}, sort=[("seq", DESCENDING)], session=session)
    seq = 0 if newest is None else int(newest["seq"]) + 1
    collection.insert_one({**whose, "seq": seq, items: [item], "n": 1}, session=session)
    return seq, 0
