"""Sealing: move the first ids of full heads into buckets, and drop old buckets.

``inboxes`` describes the documents. Sealing is safe with any number of writers: while ``gen`` and ``seq``
are unchanged, ``ids`` only grows at its end, and every update that removes ids requires unchanged ``gen``
and ``seq``. Each step is one command for all full heads.
"""

from collections import defaultdict
from dataclasses import dataclass

from pymongo import UpdateMany

from accounts.infra.store.connection import Document
from feed.store.collections import inbox_buckets, inbox_heads

from .lifecycle import insert_parts

BUCKET_SIZE = 50
SEAL_AT = 2 * BUCKET_SIZE
DELETE_EVERY = 4
"""Dropped buckets are deleted at every fourth seal, because deleting four costs little more than one."""

_LOWEST = {"$min": {"$map": {"input": "$buckets", "in": {"$last": "$$this"}}}}
_SIZE = {"$size": "$ids"}


@dataclass(frozen=True, slots=True)
class FullHead:
    """The fields of a head that sealing needs.

    Attributes:
        sealable_ids: the first ids of the head. Their number is a multiple of ``BUCKET_SIZE``.
        seq: the number of the next bucket.
        lowest_seq: the lowest number of a valid bucket, None if the inbox has no bucket.
    """

    owner: int
    sealable_ids: list[int]
    gen: int
    seq: int
    lowest_seq: int | None


def full_heads(*, owners: list[int]) -> list[FullHead]:
    """Return the heads of these owners that have at least ``SEAL_AT`` ids.

    Heads of inboxes that are still being built are left out.
    """
    query = {"_id": {"$in": owners}, "n": {"$gte": SEAL_AT}, "built_at": {"$ne": None}}
    # Read only the ids to seal, because PyMongo needs half a microsecond to decode each id.
    rest = {"$add": [BUCKET_SIZE, {"$mod": [_SIZE, BUCKET_SIZE]}]}
    sealable_ids = {"$slice": ["$ids", {"$subtract": [_SIZE, rest]}]}
    heads = inbox_heads().find(query, {"gen": 1, "seq": 1, "ids": sealable_ids, "lowest": _LOWEST})
    return [
        FullHead(head["_id"], head["ids"], head["gen"], head["seq"], head["lowest"])
        for head in heads
    ]


def seal_heads(*, heads: list[FullHead], max_buckets: int) -> None:
    """Seal the ``sealable_ids`` of these heads, and keep at most ``max_buckets`` buckets of each inbox.

    There are three steps of one command each. A crash between two steps loses nothing.

    1. Insert the buckets as *copies*. If a second process inserts the same buckets, they have the same
       content, because ``ids`` only grows at its end while ``gen`` and ``seq`` are unchanged.
    2. Remove the copied ids from the heads, if ``gen`` and ``seq`` are unchanged. The same update raises
       the floor to the highest id of the dropped buckets.
    3. Delete buckets that earlier seals dropped, and buckets that a crash left behind.
    """
    _insert_buckets(heads)
    inbox_heads().bulk_write(_trim_updates(heads, max_buckets), ordered=False)
    _delete_dropped(heads)


def _split_ids(head: FullHead) -> list[list[int]]:
    """Split the ids to seal into buckets, in the order in which the head stores the ids.

    The ids are not sorted, so that every process that seals the same head creates the same buckets.
    """
    return [
        head.sealable_ids[i : i + BUCKET_SIZE]
        for i in range(0, len(head.sealable_ids), BUCKET_SIZE)
    ]


def _insert_buckets(heads: list[FullHead]) -> None:
    buckets: list[Document] = [
        {"owner": head.owner, "gen": head.gen, "seq": head.seq + i, "ids": ids}
        for head in heads
        for i, ids in enumerate(_split_ids(head))
    ]
    insert_parts(inbox_buckets(), buckets)


def _trim_updates(heads: list[FullHead], max_buckets: int) -> list[UpdateMany]:
    """Return one update for each number of buckets to seal. Usually all heads have the same number.

    One update per head would take five times as long. So each update is a pipeline in which the server
    computes the new values of each head.
    """
    heads_by_count = defaultdict(list)
    for head in heads:
        heads_by_count[len(_split_ids(head))].append([head.owner, head.gen, head.seq])
    return [
        UpdateMany(
            {
                "_id": {"$in": [owner for owner, _, _ in versions]},
                "$expr": {"$in": [["$_id", "$gen", "$seq"], versions]},
            },
            _trim_pipeline(count, max_buckets),
        )
        for count, versions in heads_by_count.items()
    ]


def _trim_pipeline(count: int, max_buckets: int) -> list[Document]:
    sealed_count = count * BUCKET_SIZE
    new_buckets = [
        [{"$max": {"$slice": ["$ids", i * BUCKET_SIZE, BUCKET_SIZE]}}, {"$add": ["$seq", i]}]
        for i in range(count)
    ]
    newest_first = {"input": {"$concatArrays": ["$buckets", new_buckets]}, "sortBy": -1}
    rest = {"$max": [1, {"$subtract": [_SIZE, sealed_count]}]}
    return [
        {"$set": {"buckets": {"$sortArray": newest_first}}},
        {
            "$set": {
                "ids": {"$slice": ["$ids", sealed_count, rest]},
                "n": {"$subtract": ["$n", sealed_count]},
                "seq": {"$add": ["$seq", count]},
                "buckets": {"$slice": ["$buckets", max_buckets]},
                "top": {"$max": ["$top", {"$first": {"$first": "$buckets"}}]},
                "floor": {
                    "$max": ["$floor", {"$first": {"$arrayElemAt": ["$buckets", max_buckets]}}]
                },
            }
        },
    ]


def _delete_dropped(heads: list[FullHead]) -> None:
    # Delete only buckets that were already dropped when the heads were read, because another process may
    # have changed a head before this process trimmed it. A dropped bucket never becomes valid again.
    dropped = [
        {"owner": head.owner, "gen": head.gen, "seq": {"$lt": head.lowest_seq}}
        for head in heads
        if head.lowest_seq and -head.seq % DELETE_EVERY < len(_split_ids(head))
    ]
    if dropped:
        inbox_buckets().delete_many({"$or": dropped})
