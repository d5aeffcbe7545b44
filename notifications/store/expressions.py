"""Aggregation expressions for changing a box in a single update.

Boxes are changed by pipelines only, and each ends with ``settle_stages``. The unread count is
computed in the same write as the rows, so the two always agree.
"""

from collections.abc import Iterable
from typing import Any

from notifications.kinds import BURNING, DURABLE, kind_names_with_lifetime

Expression = Any
BOX_SIZE = 100
"""Rows in a box. Older rows are dropped, or moved to the overflow if they are durable."""

BUCKET_SIZE = 50
"""Rows in a bucket of the history."""

IS_UNREAD = {"$not": ["$$this.is_read"]}


def array_or_empty(path: str) -> Expression:
    """Return an array of the box, empty if missing."""
    return {"$ifNull": [f"${path}", []]}


def filter_array(path: str, condition: Expression) -> Expression:
    """Return the elements of an array that match the condition, which calls them ``$$this``."""
    return {"$filter": {"input": array_or_empty(path), "cond": condition}}


def merge_by_id(*arrays: Expression) -> Expression:
    """Merge arrays, oldest first. Ids from several processes may arrive out of order."""
    return {"$sortArray": {"input": {"$concatArrays": list(arrays)}, "sortBy": {"id": 1}}}


def is_durable() -> Expression:
    return {"$in": ["$$this.kind", kind_names_with_lifetime(DURABLE)]}


def is_burning() -> Expression:
    return {"$in": ["$$this.kind", kind_names_with_lifetime(BURNING)]}


def has_id_in(ids: Iterable[int]) -> Expression:
    return {"$in": ["$$this.id", list(ids)]}


def _id_of_first(rows: Expression) -> Expression:
    """Return the id of the first row, or null for an empty array."""
    return {"$let": {"vars": {"first": {"$first": [rows]}}, "in": "$$first.id"}}


def settle_stages() -> list[Expression]:
    """Return the end of every pipeline: cut the box to size, keep durable rows, recompute counters.

    ``is_sealable`` means that the overflow fills a bucket. ``oldest_expiring`` is the id of the
    oldest row that expires.
    """
    excess_count = {"$subtract": [{"$size": array_or_empty("recent")}, BOX_SIZE]}
    dropped = {"$slice": [array_or_empty("recent"), {"$max": [excess_count, 1]}]}
    durable_rows = {"$filter": {"input": dropped, "cond": is_durable()}}
    # Rows and filtered rows are sorted by id, so the first of each is the oldest.
    expiring = filter_array("recent", {"$not": [is_durable()]})
    expiring["$filter"]["limit"] = 1
    return [
        {
            "$set": {
                "recent": {"$slice": [array_or_empty("recent"), -BOX_SIZE]},
                "overflow": {
                    "$cond": [
                        {"$gt": [excess_count, 0]},
                        merge_by_id(array_or_empty("overflow"), durable_rows),
                        array_or_empty("overflow"),
                    ]
                },
            }
        },
        {
            "$set": {
                "unread": {"$size": filter_array("recent", IS_UNREAD)},
                "is_sealable": {"$gte": [{"$size": "$overflow"}, BUCKET_SIZE]},
                "oldest_expiring": {
                    "$min": [_id_of_first(expiring), _id_of_first(array_or_empty("filtered"))]
                },
            }
        },
    ]
