"""Dismissals. Users can undo their last dismissal, whose rows the box keeps in ``dismissed``."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from accounts.infra.store.connection import Document

from .boxes import ROW_ARRAYS, update_boxes
from .expressions import BOX_SIZE, Expression, array_or_empty, filter_array, has_id_in, merge_by_id


def dismiss(*, recipient: int, ids: Collection[int], at: datetime) -> bool:
    """Move rows to ``dismissed``. Returns False if none of the rows is in the box."""
    where = {"$or": [{f"{name}.id": {"$in": list(ids)}} for name in ROW_ARRAYS]}
    dismissed = {name: filter_array(name, has_id_in(ids)) for name in ROW_ARRAYS}
    return _move_to_dismissed({"_id": recipient, **where}, ids, {"at": at, **dismissed})


def clear(*, recipient: int, ids: Collection[int], at: datetime) -> bool:
    """Dismiss these rows, the overflow and the whole history.

    Returns False if there is nothing to clear. The previous dismissal can then still be undone, so clearing
    twice by accident loses nothing.
    """
    dismissed = {
        "at": at,
        "recent": filter_array("recent", has_id_in(ids)),
        "overflow": array_or_empty("overflow"),
    }
    hidden = {"cleared_seq": {"$ifNull": ["$cleared_seq", 0]}}
    has_history = {"$lt": [{"$ifNull": ["$cleared_seq", 0]}, {"$ifNull": ["$seq", 0]}]}
    has_rows = [
        {"recent.id": {"$in": list(ids)}},
        {"overflow.0": {"$exists": True}},
        {"$expr": has_history},
    ]
    return _move_to_dismissed(
        {"_id": recipient, "$or": has_rows}, ids, dismissed | hidden, includes_overflow=True
    )


def restore(*, recipient: int) -> bool:
    """Restore the rows of the last dismissal, except rows that were delivered again afterwards.

    Returns False if there is no dismissal to undo.
    """
    present_keys = {"$concatArrays": [array_or_empty(f"{name}.key") for name in ROW_ARRAYS]}
    is_absent = {"$not": [{"$in": ["$$this.key", present_keys]}]}
    arrays = {
        name: merge_by_id(array_or_empty(name), filter_array(f"dismissed.{name}", is_absent))
        for name in ROW_ARRAYS
    }
    arrays["filtered"] = {"$slice": [arrays["filtered"], -BOX_SIZE]}
    hidden = {"$ifNull": ["$dismissed.cleared_seq", {"$ifNull": ["$cleared_seq", 0]}]}
    stages = [{"$set": {**arrays, "cleared_seq": hidden}}, {"$unset": "dismissed"}]
    return update_boxes({"_id": recipient, "dismissed": {"$exists": True}}, stages) > 0


def _move_to_dismissed(
    where: Document,
    ids: Collection[int],
    dismissed: dict[str, Any],
    *,
    includes_overflow: bool = False,
) -> bool:
    remaining: dict[str, Expression] = {
        name: filter_array(name, {"$not": [has_id_in(ids)]})
        for name in dismissed
        if name in ROW_ARRAYS
    }
    if includes_overflow:
        remaining |= {"overflow": [], "cleared_seq": {"$ifNull": ["$seq", 0]}}
    all_rows = {"$concatArrays": [rows for name, rows in dismissed.items() if name in ROW_ARRAYS]}
    posts = {"$map": {"input": all_rows, "in": {"$ifNull": ["$$this.post", 0]}}}
    dismissed = dismissed | {"posts": {"$setDifference": [posts, [0]]}}
    # ``$set`` would merge a plain document with the previous dismissal. An expression replaces the field.
    replacement = {"$mergeObjects": [dismissed]}
    return update_boxes(where, [{"$set": {"dismissed": replacement}}, {"$set": remaining}]) > 0
