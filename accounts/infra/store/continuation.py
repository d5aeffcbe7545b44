"""Continuation documents: lists without end, in numbered buckets that go on where one is full.

    {<whose list it is>, seq, <items>: [at most a capacity], n}      unique (<whose list it is>, seq)

The pattern is what MongoDB's Asya Kamsky called the Wil Wheaton effect: an array in one document outgrows
it for the few with hundreds of thousands. Numbered buckets can be read from any point, and a change touches
exactly one. The second index, (<whose list it is>, seq descending, n), finds the newest with room without
reading a bucket.
"""

from typing import Any

ASCENDING, DESCENDING = 1, -1


def create_indexes(*, collection: Any, owner_fields: tuple[str, ...]) -> None:
    """Make the two indexes that ``append`` needs."""
    chain = [(name, ASCENDING) for name in owner_fields]
    collection.create_index([*chain, ("seq", ASCENDING)], unique=True)
    collection.create_index([*chain, ("seq", DESCENDING), ("n", ASCENDING)])


def append_element(
    *,
    collection: Any,
    owner: dict[str, int],
    array_field: str,
    element: Any,
    capacity: int,
    session: Any,
) -> tuple[int, int]:
    """Put the item at the end of the newest bucket with room, or into a new one; where it is: (seq, place).

    Only inside a transaction (``transactions``, with ``retry_duplicate_keys``): two writers that open the
    same bucket meet in a duplicate key or a write conflict, and one transaction is run again.
    """
    newest_first = [*((name, ASCENDING) for name in owner), ("seq", DESCENDING)]
    pushed = collection.find_one_and_update(
        {**owner, "n": {"$lt": capacity}},
        {"$push": {array_field: element}, "$inc": {"n": 1}},
        sort=[("seq", DESCENDING)],
        projection={"seq": 1, "n": 1},
        hint=[*newest_first, ("n", ASCENDING)],
        session=session,
    )
    if pushed is not None:
        return int(pushed["seq"]), int(pushed["n"])
    newest = collection.find_one(owner, {"seq": 1}, sort=[("seq", DESCENDING)], session=session)
    seq = 0 if newest is None else int(newest["seq"]) + 1
    collection.insert_one({**owner, "seq": seq, array_field: [element], "n": 1}, session=session)
    return seq, 0
