"""What somebody does not want to see any more, and the one dismissal that they may take back.

What it took lies in the box (``dismissed``) until the next one.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from .boxes import ARRAYS, change
from .collections import Document
from .expressions import SIZE, Expression, array, is_among, joined, those


def dismiss(*, reader: int, ids: Collection[int], at: datetime) -> bool:
    """Take items out of the box, until ``restore``. False if none of them is there."""
    where = {"$or": [{f"{name}.id": {"$in": list(ids)}} for name in ARRAYS]}
    taken = {name: those(name, is_among(ids)) for name in ARRAYS}
    return _dismiss({"_id": reader, **where}, ids, {"at": at, **taken})


def clear(*, reader: int, ids: Collection[int], at: datetime) -> bool:
    """As ``dismiss``, and with what is older than all that the box has: kept items, and the history. False
    if there is nothing of it: to clear twice does not take the undo away."""
    taken = {"at": at, "items": those("items", is_among(ids)), "kept": array("kept")}
    hidden = {"hidden": {"$ifNull": ["$hidden", 0]}}
    to_hide = {"$lt": [{"$ifNull": ["$hidden", 0]}, {"$ifNull": ["$seq", 0]}]}
    there = [{"items.id": {"$in": list(ids)}}, {"kept.0": {"$exists": True}}, {"$expr": to_hide}]
    return _dismiss({"_id": reader, "$or": there}, ids, taken | hidden, all_kept=True)


def restore(*, reader: int) -> bool:
    """Bring back what the last dismissal took, but for what has been told again. False if there is
    nothing."""
    told = {"$concatArrays": [array(f"{name}.key") for name in ARRAYS]}
    is_new = {"$not": [{"$in": ["$$this.key", told]}]}
    back = {name: joined(array(name), those(f"dismissed.{name}", is_new)) for name in ARRAYS}
    back["held"] = {"$slice": [back["held"], -SIZE]}
    hidden = {"$ifNull": ["$dismissed.hidden", {"$ifNull": ["$hidden", 0]}]}
    stages = [{"$set": {**back, "hidden": hidden}}, {"$unset": "dismissed"}]
    return change({"_id": reader, "dismissed": {"$exists": True}}, stages) > 0


def _dismiss(
    where: Document, ids: Collection[int], taken: dict[str, Any], *, all_kept: bool = False
) -> bool:
    left: dict[str, Expression] = {
        name: those(name, {"$not": [is_among(ids)]}) for name in taken if name in ARRAYS
    }
    if all_kept:
        left |= {"kept": [], "hidden": {"$ifNull": ["$seq", 0]}}
    everything = {"$concatArrays": [items for name, items in taken.items() if name in ARRAYS]}
    posts = {"$map": {"input": everything, "in": {"$ifNull": ["$$this.post", 0]}}}
    taken = taken | {"posts": {"$setDifference": [posts, [0]]}}
    # As an expression: a plain document would be merged with what an earlier dismissal took.
    now_taken = {"$mergeObjects": [taken]}
    return change(where, [{"$set": {"dismissed": now_taken}}, {"$set": left}]) > 0
