"""How buckets are cut off the heads of inboxes, and old ones dropped. What the documents mean:
``inboxes``.

Safe under any number of writers: ``ids`` only grows at its end while ``gen`` and ``seq`` stand, and
whoever trims names both. Each step is one command for all heads that are due.
"""

from collections import defaultdict
from dataclasses import dataclass

from pymongo import InsertOne, UpdateMany
from pymongo.errors import BulkWriteError

from feed.store.collections import Document, inbox_buckets, inbox_heads

BUCKET_SIZE = 50
SEAL_AT = 2 * BUCKET_SIZE
DELETE_EVERY = 4
"""Dropped buckets are deleted at each fourth seal of an inbox: a few cost little more than one."""
DUPLICATE_KEY = 11000

_LOWEST = {"$min": {"$map": {"input": "$kept", "in": {"$last": "$$this"}}}}
_SIZE = {"$size": "$ids"}


@dataclass(frozen=True, slots=True)
class FullHead:
    """What sealing needs of a head. ``ids``: those to be cut, whole buckets; ``lowest``: the lowest
    number of its kept buckets, None if there are none."""

    owner: int
    sealable_ids: list[int]
    gen: int
    seq: int
    lowest_seq: int | None


def full_heads(*, owners: list[int]) -> list[FullHead]:
    """The built heads among these that are due for sealing."""
    query = {"_id": {"$in": owners}, "n": {"$gte": SEAL_AT}, "built_at": {"$ne": None}}
    # Only what sealing needs, for the driver takes half a microsecond for each number.
    rest = {"$add": [BUCKET_SIZE, {"$mod": [_SIZE, BUCKET_SIZE]}]}
    to_be_cut = {"$slice": ["$ids", {"$subtract": [_SIZE, rest]}]}
    found = inbox_heads().find(query, {"gen": 1, "seq": 1, "ids": to_be_cut, "lowest": _LOWEST})
    return [
        FullHead(one["_id"], one["ids"], one["gen"], one["seq"], one["lowest"]) for one in found
    ]


def seal_heads(*, heads: list[FullHead], max_buckets: int) -> None:
    """Cut buckets off these heads until each has fewer than two bucketfuls, and drop what is then
    beyond ``keep`` buckets.

    Three steps of one command each, and a crash between any two loses nothing. First the buckets are
    *copied*: who comes second finds them there with the same content, because ``ids`` only grows at
    its end while ``gen`` and ``seq`` stand. Then the heads give the copied ids up, guarded by ``gen``
    and ``seq``; the same update raises the floor to the highest id of what is dropped. Last go the
    buckets dropped by earlier seals, with any that a crash left behind.
    """
    _insert_buckets(heads)
    inbox_heads().bulk_write(_trims(heads, max_buckets), ordered=False)
    _delete_dropped(heads)


def _cuts(head: FullHead) -> list[list[int]]:
    """The ids of each bucket to be cut: always the first *positions*, never the lowest ids."""
    return [
        head.sealable_ids[i : i + BUCKET_SIZE]
        for i in range(0, len(head.sealable_ids), BUCKET_SIZE)
    ]


def _insert_buckets(heads: list[FullHead]) -> None:
    inserts = [
        InsertOne({"owner": head.owner, "gen": head.gen, "seq": head.seq + i, "ids": ids})
        for head in heads
        for i, ids in enumerate(_cuts(head))
    ]
    try:
        inbox_buckets().bulk_write(inserts, ordered=False)
    except BulkWriteError as error:
        if any(one["code"] != DUPLICATE_KEY for one in error.details["writeErrors"]):
            raise


def _trims(heads: list[FullHead], keep: int) -> list[UpdateMany]:
    """One update for all heads that give up equally many buckets, mostly all of them.

    A statement for each head would cost five times as much, so the server computes what differs.
    """
    alike = defaultdict(list)
    for head in heads:
        alike[len(_cuts(head))].append([head.owner, head.gen, head.seq])
    return [
        UpdateMany(
            {
                "_id": {"$in": [owner for owner, _, _ in as_read]},
                "$expr": {"$in": [["$_id", "$gen", "$seq"], as_read]},
            },
            _trim(count, keep),
        )
        for count, as_read in alike.items()
    ]


def _trim(count: int, keep: int) -> list[Document]:
    moved = count * BUCKET_SIZE
    cut = [
        [{"$max": {"$slice": ["$ids", i * BUCKET_SIZE, BUCKET_SIZE]}}, {"$add": ["$seq", i]}]
        for i in range(count)
    ]
    newest_first = {"input": {"$concatArrays": ["$kept", cut]}, "sortBy": -1}
    rest = {"$max": [1, {"$subtract": [_SIZE, moved]}]}
    return [
        {"$set": {"kept": {"$sortArray": newest_first}}},
        {
            "$set": {
                "ids": {"$slice": ["$ids", moved, rest]},
                "n": {"$subtract": ["$n", moved]},
                "seq": {"$add": ["$seq", count]},
                "kept": {"$slice": ["$kept", keep]},
                "top": {"$max": ["$top", {"$first": {"$first": "$kept"}}]},
                "floor": {"$max": ["$floor", {"$first": {"$arrayElemAt": ["$kept", keep]}}]},
            }
        },
    ]


def _delete_dropped(heads: list[FullHead]) -> None:
    # By what the heads said when they were read, not by what this seal planned: another process may
    # have won the race. What is not in "kept" never comes back into it.
    below = [
        {"owner": head.owner, "gen": head.gen, "seq": {"$lt": head.lowest_seq}}
        for head in heads
        if head.lowest_seq and -head.seq % DELETE_EVERY < len(_cuts(head))
    ]
    if below:
        inbox_buckets().delete_many({"$or": below})
