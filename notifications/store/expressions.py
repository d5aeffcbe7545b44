"""What every change of a box is made of: aggregation expressions, so that one update does all of it.

A box is changed by pipelines only, and each ends with ``settled``. So the count of unread items can never
differ from the items: whoever changes these counts them in the same write.
"""

from collections.abc import Iterable
from typing import Any

from notifications.kinds import BURNING, DURABLE, kind_names_with_lifetime

Expression = Any
BOX_SIZE = 100
"""Items in a box. Older ones are dropped, or kept for the history if they are durable."""

BUCKET_SIZE = 50
"""Items in a bucket of the history."""

IS_UNREAD = {"$not": ["$$this.read"]}


def array_or_empty(path: str) -> Expression:
    """An array of the box, empty if there is none."""
    return {"$ifNull": [f"${path}", []]}


def filter_array(path: str, condition: Expression) -> Expression:
    """The items of an array for which it is so; they are ``$$this``."""
    return {"$filter": {"input": array_or_empty(path), "cond": condition}}


def merge_by_id(*arrays: Expression) -> Expression:
    """By id: the oldest first. Ids of several processes need not arrive in their order."""
    return {"$sortArray": {"input": {"$concatArrays": list(arrays)}, "sortBy": {"id": 1}}}


def is_durable() -> Expression:
    return {"$in": ["$$this.kind", kind_names_with_lifetime(DURABLE)]}


def is_burning() -> Expression:
    return {"$in": ["$$this.kind", kind_names_with_lifetime(BURNING)]}


def has_id_in(ids: Iterable[int]) -> Expression:
    return {"$in": ["$$this.id", list(ids)]}


def _id_of_first(items: Expression) -> Expression:
    """Null if there is none."""
    return {"$let": {"vars": {"first": {"$first": [items]}}, "in": "$$first.id"}}


def settle_stages() -> list[Expression]:
    """The end of every pipeline: the box cut to its size, durable items kept, the rest counted.

    ``unread``: items that are; ``full``: a bucket of the history can be filled; ``expires``: the oldest
    item that is to be dropped after some time.
    """
    too_many = {"$subtract": [{"$size": array_or_empty("items")}, BOX_SIZE]}
    dropped = {"$slice": [array_or_empty("items"), {"$max": [too_many, 1]}]}
    kept = {"$filter": {"input": dropped, "cond": is_durable()}}
    # Items come by id, and so do those that are held: looking at the first of them is enough.
    expiring = filter_array("items", {"$not": [is_durable()]})
    expiring["$filter"]["limit"] = 1
    return [
        {
            "$set": {
                "items": {"$slice": [array_or_empty("items"), -BOX_SIZE]},
                "kept": {
                    "$cond": [
                        {"$gt": [too_many, 0]},
                        merge_by_id(array_or_empty("kept"), kept),
                        array_or_empty("kept"),
                    ]
                },
            }
        },
        {
            "$set": {
                "unread": {"$size": filter_array("items", IS_UNREAD)},
                "full": {"$gte": [{"$size": "$kept"}, BUCKET_SIZE]},
                "expires": {"$min": [_id_of_first(expiring), _id_of_first(array_or_empty("held"))]},
            }
        },
    ]
