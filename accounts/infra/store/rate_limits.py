"""Recent action counts: ``action_counts {_id, slots: [{at, n}], counted, until}``.

``_id`` names the action and its subject. Each period is divided into ``SLOTS_PER_PERIOD`` slots. ``at`` is
the number of a slot since 1970, ``n`` the number of actions in the slot. ``counted`` tells whether the last
action was within the limit. The algorithm is called "sliding window counters":
https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/.

A slot counts until all its actions are older than the period. So the limit holds for every span as long as
the period. The reported wait is too long by at most ``1 / SLOTS_PER_PERIOD`` of the period.

One command on one document checks the limit, counts the action and drops old slots, so concurrent requests
cannot exceed the limit. A document has at most ``SLOTS_PER_PERIOD + 1`` slots. The server deletes the
document after ``until``, when the last slot no longer counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from pymongo import ASCENDING, ReturnDocument
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError
from pymongo.write_concern import WriteConcern

from .connection import Document, collection

SLOTS_PER_PERIOD = 24


def action_counts() -> Collection[Document]:
    """Return the collection. Writes do not wait for the journal, which would take most of their time.

    If the server crashes, the counts of the last moments are lost, and users may exceed a limit once.
    """
    return collection("action_counts").with_options(write_concern=WriteConcern(w=1))


@dataclass(frozen=True, slots=True)
class CountResult:
    """The result of ``count_action``.

    Attributes:
        is_counted: whether the action was within the limit and is counted.
        slot: number of the slot for the current time.
        retry_after_seconds: if the action exceeded the limit, seconds until the same action would be
            allowed. Otherwise 0.
        total: number of counted actions in the period.
        seconds_until_free: seconds until the oldest slot stops counting.
    """

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
    """Count ``times`` actions, or none if that would exceed ``limit`` in ``seconds``. One command.

    ``times`` must not be larger than ``limit``.
    """
    width = seconds / SLOTS_PER_PERIOD
    slot = int(now.timestamp() // width)
    ends = datetime.fromtimestamp((slot + SLOTS_PER_PERIOD + 1) * width, UTC)
    pipeline = _count_pipeline(slot=slot, times=times, limit=limit, ends=ends)
    try:
        document = _update_counts(name, pipeline)
    except DuplicateKeyError:  # a concurrent request created the document
        document = _update_counts(name, pipeline)
    total = sum(row["n"] for row in document["slots"])
    first = min((row["at"] for row in document["slots"]), default=slot)
    return CountResult(
        is_counted=document["counted"],
        slot=slot,
        retry_after_seconds=0
        if document["counted"]
        else _retry_seconds(document, times, limit, width, now),
        total=total,
        seconds_until_free=(first + SLOTS_PER_PERIOD + 1) * width - now.timestamp(),
    )


def undo_count(*, name: str, slot: int, times: int) -> None:
    """Subtract ``times`` from a slot. Does nothing if the slot has expired."""
    action_counts().update_one({"_id": name, "slots.at": slot}, {"$inc": {"slots.$.n": -times}})


def delete_counts(*, names: Iterable[str]) -> None:
    action_counts().delete_many({"_id": {"$in": list(names)}})


def _count_pipeline(*, slot: int, times: int, limit: int, ends: datetime) -> list[Document]:
    current_slots = {
        "$filter": {
            "input": {"$ifNull": ["$slots", []]},
            "cond": {"$gte": ["$$this.at", slot - SLOTS_PER_PERIOD]},
        }
    }
    other_slots = {"$filter": {"input": "$slots", "cond": {"$ne": ["$$this.at", slot]}}}
    this_slot = {"$filter": {"input": "$slots", "cond": {"$eq": ["$$this.at", slot]}}}
    new_slot = {
        "at": slot,
        "n": {"$add": [{"$sum": {"$map": {"input": this_slot, "in": "$$this.n"}}}, times]},
    }
    return [
        {"$set": {"slots": current_slots}},
        {"$set": {"counted": {"$lte": [{"$add": [{"$sum": "$slots.n"}, times]}, limit]}}},
        {
            "$set": {
                "slots": {
                    "$cond": ["$counted", {"$concatArrays": [other_slots, [new_slot]]}, "$slots"]
                },
                "until": {"$max": ["$until", ends]},
            }
        },
    ]


def _update_counts(name: str, pipeline: list[Document]) -> Document:
    document: Any = action_counts().find_one_and_update(
        {"_id": name}, pipeline, upsert=True, return_document=ReturnDocument.AFTER
    )
    return cast("Document", document)


def _retry_seconds(
    document: Document, times: int, limit: int, width: float, now: datetime
) -> float:
    total = sum(row["n"] for row in document["slots"])
    slot_end = now.timestamp()
    for row in sorted(document["slots"], key=lambda row: int(row["at"])):
        slot_end = (row["at"] + SLOTS_PER_PERIOD + 1) * width
        total -= row["n"]
        if total + times <= limit:
            break
    return float(max(slot_end - now.timestamp(), 1))
