"""Unbounded lists in numbered buckets. When a bucket is full, the list continues in a new bucket.

    {<owner>, seq, <array>: [up to the capacity], n}      unique (<owner>, seq)

A few owners have hundreds of thousands of elements, which do not fit into one document. MongoDB's Asya
Kamsky called this problem the Wil Wheaton effect. Readers can start at any bucket, and a change writes only
one bucket.

``seq`` numbers the buckets of an owner from 0. ``n`` is the number of elements in a bucket. The second
index, (<owner>, seq descending, n), finds the newest bucket with room without reading a bucket.

An element that is a uid can be *set aside*: it is alone in a document whose ``seq`` is the negative uid. It
has no place in the list, but a query for the owner and the uid finds it, and unique indexes include it.
"""

from typing import Any

from pymongo.errors import DuplicateKeyError

ASCENDING, DESCENDING = 1, -1
IN_LIST = {"seq": {"$gte": 0}}  # leaves out elements that are set aside


def create_indexes(*, collection: Any, owner_fields: tuple[str, ...]) -> None:
    """Create the two indexes that ``append_element`` needs."""
    owner_keys = [(name, ASCENDING) for name in owner_fields]
    collection.create_index([*owner_keys, ("seq", ASCENDING)], unique=True)
    collection.create_index([*owner_keys, ("seq", DESCENDING), ("n", ASCENDING)])


class BucketExists(Exception):
    """The list already has a bucket, which may be empty. The transaction is aborted."""


class ElementExists(Exception):
    """Another bucket of the list contains the element. The transaction is aborted."""


def insert_first_element(
    *, collection: Any, owner: dict[str, int], array_field: str, element: Any, session: Any
) -> None:
    """Create the first bucket of a new list. Raises BucketExists if the list has a bucket.

    Costs one command, while ``append_element`` would need three for a new list.
    """
    try:
        collection.insert_one(_new_bucket(owner, 0, array_field, element), session=session)
    except DuplicateKeyError:
        raise BucketExists from None


def append_element(
    *,
    collection: Any,
    owner: dict[str, int],
    array_field: str,
    element: Any,
    capacity: int,
    session: Any,
    is_unique: bool = False,
    is_set_aside: bool = False,
) -> tuple[int, int]:
    """Append to the newest bucket with room, or to a new bucket.

    Returns the bucket's ``seq`` and the index of the element in the bucket.

    Costs one command, or three if no bucket has room. Call it inside
    ``transactional(retry_duplicate_keys=True)``: if two writers create the same bucket, one gets a
    duplicate key or a write conflict and its transaction is retried.

    Args:
        is_unique: raise ElementExists if another bucket contains the element. This needs a unique index
            on the owner and the array. The index does not compare elements of the same bucket, so a bucket
            with the element is never chosen.
        is_set_aside: set the element aside. Needs ``is_unique``.
    """
    try:
        if is_set_aside:
            bucket = _new_bucket(owner, -element, array_field, element)
            collection.insert_one(bucket, session=session)
            return -element, 0
        newest_first = [*((name, ASCENDING) for name in owner), ("seq", DESCENDING)]
        bucket = collection.find_one_and_update(
            {
                **owner,
                **IN_LIST,
                "n": {"$lt": capacity},
                **({array_field: {"$ne": element}} if is_unique else {}),
            },
            {"$push": {array_field: element}, "$inc": {"n": 1}},
            sort=[("seq", DESCENDING)],
            projection={"seq": 1, "n": 1},
            hint=[*newest_first, ("n", ASCENDING)],
            session=session,
        )
        if bucket is not None:
            return int(bucket["seq"]), int(bucket["n"])
        query = {**owner, **IN_LIST}
        newest = collection.find_one(query, {"seq": 1}, sort=[("seq", DESCENDING)], session=session)
        seq = 0 if newest is None else int(newest["seq"]) + 1
        collection.insert_one(_new_bucket(owner, seq, array_field, element), session=session)
        return seq, 0
    except DuplicateKeyError as error:
        keys = (error.details or {}).get("keyPattern", {})
        if is_set_aside or (is_unique and array_field in keys):
            raise ElementExists from None
        raise


def _new_bucket(owner: dict[str, int], seq: int, array_field: str, element: Any) -> dict[str, Any]:
    return {**owner, "seq": seq, array_field: [element], "n": 1}
