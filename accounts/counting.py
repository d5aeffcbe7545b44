"""How many were made in each stretch of time, for charts: by ids, which are in the order of time.

One command reads the index of ``_id`` and no document, and of each stretch not more than a bound.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from .ids import first_id_at


def counted(*, collection: Any, moments: Sequence[datetime], most: int) -> list[int]:
    """How many documents were made from each of these moments until the next; ``most``: so many or more."""
    stretches = list(pairwise(first_id_at(moment=one) for one in moments))
    first, *rest = (
        [
            {"$match": {"_id": {"$gte": begin, "$lt": end}}},
            {"$project": {"_id": 1}},
            {"$limit": most},
            {"$group": {"_id": {"$literal": number}, "n": {"$sum": 1}}},
        ]
        for number, (begin, end) in enumerate(stretches)
    )
    united = [{"$unionWith": {"coll": collection.name, "pipeline": one}} for one in rest]
    found = {one["_id"]: int(one["n"]) for one in collection.aggregate([*first, *united])}
    return [found.get(number, 0) for number in range(len(stretches))]
