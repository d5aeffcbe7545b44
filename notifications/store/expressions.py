"""Aggregation expressions for changing a box in a single update.

Every change of rows is a pipeline that ends with ``settle_stages``. The pipeline computes the unread count
in the same write as the rows, so the count always matches the rows.
"""

from collections.abc import Iterable
from typing import Any

from notifications.kinds import BURNING, DURABLE, kind_names_with_lifetime

Expression = Any
BOX_SIZE = 100
"""Maximum number of rows in a box. Older rows are dropped, or moved to the overflow if they are durable."""

BUCKET_SIZE = 50
"""Rows in a bucket of the history."""

IS_UNREAD = {"$not": ["$$this.is_read"]}


def array_or_empty(path: str) -> Expression:
    """Return an array of the box, or an empty array if the field is missing."""
    return {"$ifNull": [f"${path}", []]}


def filter_array(path: str, condition: Expression) -> Expression:
    """Return the elements of an array that match. In the condition, ``$$this`` is the element."""
    return {"$filter": {"input": array_or_empty(path), "cond": condition}}


def merge_by_id(*arrays: Expression) -> Expression:
    """Merge arrays of rows, oldest first. Sort, because a row can arrive after rows with larger ids."""
    return {"$sortArray": {"input": {"$concatArrays": list(arrays)}, "sortBy": {"id": 1}}}


def is_durable() -> Expression:
    return {"$in": ["$$this.kind", kind_names_with_lifetime(DURABLE)]}


def is_burning() -> Expression:
    return {"$in": ["$$this.kind", kind_names_with_lifetime(BURNING)]}


def has_id_in(ids: Iterable[int]) -> Expression:
    return {"$in": ["$$this.id", list(ids)]}


def count_conversations() -> Expression:
    """Return the last stage of every pipeline that changes ``unread_messages``."""
    posts = {"$setUnion": array_or_empty("unread_messages.post")}
    return {"$set": {"unread_conversations": {"$size": posts}}}


def _id_of_first(rows: Expression) -> Expression:
    """Return an expression for the id of the first row, which is null for an empty array."""
    return {"$let": {"vars": {"first": {"$first": [rows]}}, "in": "$$first.id"}}


def settle_stages() -> list[Expression]:
    """Return the last stages of every pipeline that changes rows.

    The stages drop the oldest rows beyond ``BOX_SIZE``, but move durable rows to ``overflow`` instead. They
    also set these fields:

    unread           the number of unread rows in ``recent``
    is_sealable      whether the overflow fills a bucket of the history
    oldest_expiring  the id of the oldest row that is not durable, or null
    """
    excess_count = {"$subtract": [{"$size": array_or_empty("recent")}, BOX_SIZE]}
    dropped = {"$slice": [array_or_empty("recent"), {"$max": [excess_count, 1]}]}
    durable_rows = {"$filter": {"input": dropped, "cond": is_durable()}}
    # Both arrays are sorted by id, so the first expiring row of an array is its oldest expiring row.
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
