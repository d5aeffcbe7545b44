"""What somebody does not want to see any more, and the one dismissal that they may take back.

What it took lies in the box (``dismissed``) until the next one.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from .boxes import ROW_ARRAYS, update_boxes
from .collections import Document
from .expressions import BOX_SIZE, Expression, array_or_empty, filter_array, has_id_in, merge_by_id


def dismiss(*, recipient: int, ids: Collection[int], at: datetime) -> bool:
    """Take items out of the box, until ``restore``. False if none of them is there."""
    where = {"$or": [{f"{name}.id": {"$in": list(ids)}} for name in ROW_ARRAYS]}
    taken = {name: filter_array(name, has_id_in(ids)) for name in ROW_ARRAYS}
    return _dismiss({"_id": recipient, **where}, ids, {"at": at, **taken})


def clear(*, recipient: int, ids: Collection[int], at: datetime) -> bool:
    """As ``dismiss``, and with what is older than all that the box has: kept items, and the history. False
    if there is nothing of it: to clear twice does not take the undo away."""
    taken = {
        "at": at,
        "items": filter_array("items", has_id_in(ids)),
        "kept": array_or_empty("kept"),
    }
    hidden = {"hidden": {"$ifNull": ["$hidden", 0]}}
    to_hide = {"$lt": [{"$ifNull": ["$hidden", 0]}, {"$ifNull": ["$seq", 0]}]}
    there = [{"items.id": {"$in": list(ids)}}, {"kept.0": {"$exists": True}}, {"$expr": to_hide}]
    return _dismiss({"_id": recipient, "$or": there}, ids, taken | hidden, all_kept=True)


def restore(*, recipient: int) -> bool:
    """Bring back what the last dismissal took, but for what has been told again. False if there is
    nothing."""
    told = {"$concatArrays": [array_or_empty(f"{name}.key") for name in ROW_ARRAYS]}
    is_new = {"$not": [{"$in": ["$$this.key", told]}]}
    back = {
        name: merge_by_id(array_or_empty(name), filter_array(f"dismissed.{name}", is_new))
        for name in ROW_ARRAYS
    }
    back["held"] = {"$slice": [back["held"], -BOX_SIZE]}
    hidden = {"$ifNull": ["$dismissed.hidden", {"$ifNull": ["$hidden", 0]}]}
    stages = [{"$set": {**back, "hidden": hidden}}, {"$unset": "dismissed"}]
    return update_boxes({"_id": recipient, "dismissed": {"$exists": True}}, stages) > 0


def _dismiss(
    where: Document, ids: Collection[int], taken: dict[str, Any], *, all_kept: bool = False
) -> bool:
    left: dict[str, Expression] = {
        name: filter_array(name, {"$not": [has_id_in(ids)]}) for name in taken if name in ROW_ARRAYS
    }
    if all_kept:
        left |= {"kept": [], "hidden": {"$ifNull": ["$seq", 0]}}
    everything = {"$concatArrays": [items for name, items in taken.items() if name in ROW_ARRAYS]}
    posts = {"$map": {"input": everything, "in": {"$ifNull": ["$$this.post", 0]}}}
    taken = taken | {"posts": {"$setDifference": [posts, [0]]}}
    # As an expression: a plain document would be merged with what an earlier dismissal took.
    now_taken = {"$mergeObjects": [taken]}
    return update_boxes(where, [{"$set": {"dismissed": now_taken}}, {"$set": left}]) > 0
