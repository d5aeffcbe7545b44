"""How often somebody has done something lately: ``action_counts {_id, slots: [{at, n}], counted, until}``.

``_id`` names the action and who does it. A period is cut into ``SLOTS`` slots, and of each only the number
is kept: the "sliding window counters" of https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/.
A slot counts until all of it is over, so within no span of the length of the period there is ever more than
the limit; at most ``1 / SLOTS`` of the period is waited too long. Looking, counting and forgetting are one
command on one document, so of many at once no more get through than may. A document has at most
``SLOTS + 1`` slots, and is gone (``until``) once the last is over.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from pymongo import ASCENDING, ReturnDocument
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from .connection import Document, collection

SLOTS_PER_PERIOD = 24


def action_counts() -> Collection[Document]:
    return collection("action_counts")


@dataclass(frozen=True, slots=True)
class CountResult:
    """``is_counted``: whether it was within the limit; ``slot``: where it stands then. Otherwise
    ``again_in``: seconds until as many more would be, unless meanwhile others come. ``total``: how often
    it was done in the period, of which the first counts no more in ``frees_in`` seconds."""

    is_counted: bool
    slot: int
    retry_after_seconds: float
    total: int
    seconds_until_free: float


def create_indexes() -> None:
    action_counts().create_index([("until", ASCENDING)], expireAfterSeconds=0)


def count_action(
    *, name: str, times: int, limit: int, seconds: float, now: datetime
) -> CountResult:
    """Count something that is done ``times`` times at once, unless that is more than ``limit`` in so many
    seconds: then nothing is counted. One command. ``times`` is at most ``limit``."""
    width = seconds / SLOTS_PER_PERIOD
    slot = int(now.timestamp() // width)
    ends = datetime.fromtimestamp((slot + SLOTS_PER_PERIOD + 1) * width, UTC)
    change = _counting(slot=slot, times=times, limit=limit, ends=ends)
    try:
        found = _apply(name, change)
    except DuplicateKeyError:  # another one has made the document in this moment
        found = _apply(name, change)
    total = sum(one["n"] for one in found["slots"])
    first = min((one["at"] for one in found["slots"]), default=slot)
    return CountResult(
        is_counted=found["counted"],
        slot=slot,
        retry_after_seconds=0 if found["counted"] else _again_in(found, times, limit, width, now),
        total=total,
        seconds_until_free=(first + SLOTS_PER_PERIOD + 1) * width - now.timestamp(),
    )


def undo_count(*, name: str, slot: int, times: int) -> None:
    """It was not done after all. Where the slot is gone meanwhile, there is nothing to take back."""
    action_counts().update_one({"_id": name, "slots.at": slot}, {"$inc": {"slots.$.n": -times}})


def delete_counts(*, names: Iterable[str]) -> None:
    action_counts().delete_many({"_id": {"$in": list(names)}})


def _counting(*, slot: int, times: int, limit: int, ends: datetime) -> list[Document]:
    lasting = {
        "$filter": {
            "input": {"$ifNull": ["$slots", []]},
            "cond": {"$gte": ["$$this.at", slot - SLOTS_PER_PERIOD]},
        }
    }
    others = {"$filter": {"input": "$slots", "cond": {"$ne": ["$$this.at", slot]}}}
    here = {"$filter": {"input": "$slots", "cond": {"$eq": ["$$this.at", slot]}}}
    grown = {
        "at": slot,
        "n": {"$add": [{"$sum": {"$map": {"input": here, "in": "$$this.n"}}}, times]},
    }
    return [
        {"$set": {"slots": lasting}},
        {"$set": {"counted": {"$lte": [{"$add": [{"$sum": "$slots.n"}, times]}, limit]}}},
        {
            "$set": {
                "slots": {"$cond": ["$counted", {"$concatArrays": [others, [grown]]}, "$slots"]},
                "until": {"$max": ["$until", ends]},
            }
        },
    ]


def _apply(name: str, change: list[Document]) -> Document:
    found: Any = action_counts().find_one_and_update(
        {"_id": name}, change, upsert=True, return_document=ReturnDocument.AFTER
    )
    return cast("Document", found)


def _again_in(found: Document, times: int, limit: int, width: float, at: datetime) -> float:
    total = sum(one["n"] for one in found["slots"])
    over = at.timestamp()
    for one in sorted(found["slots"], key=lambda one: int(one["at"])):
        over = (one["at"] + SLOTS_PER_PERIOD + 1) * width
        total -= one["n"]
        if total + times <= limit:
            break
    return float(max(over - at.timestamp(), 1))
