"""Home timelines as documents: an open head and sealed buckets for each warm reader.

    inbox_heads    {_id: owner, ids, n, gen, seq, kept: [[hi, seq]], top, floor, built_at, last_seen}
    inbox_buckets  {owner, gen, seq, ids: [50]}                     unique (owner, gen, seq)

``ids`` holds activity ids in the order of *arrival* and is append-only but for sealing. ``seq`` is the
next bucket's number, ``kept`` the highest ids and numbers of the buckets that count, and ``top`` the
highest id ever sealed: head ids above it are certainly the newest. The inbox is complete above
``floor`` and ignored at or below it. ``gen`` names one life of an inbox, from its building to its
dropping. Here are the single steps, each safe to repeat; ``strategies.buckets`` puts them together.

The published design (a counter on the user, ``floor(count / 50)``, push: Asya Kamsky, Darren Wood and
Antoine Girbal, "Socialite", MongoDB World 2014) costs two round trips for each recipient and leaves
a hole when a writer dies between them. Here one command delivers to a thousand readers, and
buckets are cut afterwards.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING, InsertOne, UpdateMany
from pymongo.errors import BulkWriteError, DuplicateKeyError

from .collections import Document, inbox_buckets, inbox_heads

BUCKET_SIZE = 50
SEAL_AT = 2 * BUCKET_SIZE
DROP_EVERY = 4
"""Dropped buckets are deleted at each fourth seal of an inbox: a few cost little more than one."""
DUPLICATE_KEY = 11000

_LOWEST = {"$min": {"$map": {"input": "$kept", "in": {"$last": "$$this"}}}}
_SIZE = {"$size": "$ids"}
_TO_BE_CUT = {
    "$slice": [
        "$ids",
        {"$subtract": [_SIZE, {"$add": [BUCKET_SIZE, {"$mod": [_SIZE, BUCKET_SIZE]}]}]},
    ]
}


@dataclass(frozen=True, slots=True)
class Head:
    owner: int
    ids: list[int]
    gen: int
    seq: int
    kept: list[list[int]]
    top: int
    floor: int
    built_at: datetime | None
    last_seen: datetime


@dataclass(frozen=True, slots=True)
class FullHead:
    """What sealing needs of a head. ``ids``: those to be cut, whole buckets; ``lowest``: the lowest
    number of its kept buckets, None if there are none."""

    owner: int
    ids: list[int]
    gen: int
    seq: int
    lowest: int | None


class BucketGone(LookupError):
    """A bucket was dropped since the head was read: read the head again, its floor has risen."""


def prepare() -> None:
    inbox_buckets().create_index(
        [("owner", ASCENDING), ("gen", ASCENDING), ("seq", ASCENDING)], unique=True
    )


def push(*, owners: list[int], activity: int) -> int:
    """Append the activity to the heads of these readers: ONE command; returns how many got it.

    A repeat changes nothing, and who has no head (a dormant reader) costs nothing.
    """
    delivered = inbox_heads().update_many(
        {"_id": {"$in": owners}, "ids": {"$ne": activity}},
        {"$push": {"ids": activity}, "$inc": {"n": 1}},
    )
    return delivered.modified_count


def full_heads(*, owners: list[int]) -> list[FullHead]:
    """The built heads among these that are due for sealing."""
    query = {"_id": {"$in": owners}, "n": {"$gte": SEAL_AT}, "built_at": {"$ne": None}}
    # Only what sealing needs, for the driver takes half a microsecond for each number.
    found = inbox_heads().find(query, {"gen": 1, "seq": 1, "ids": _TO_BE_CUT, "lowest": _LOWEST})
    return [
        FullHead(one["_id"], one["ids"], one["gen"], one["seq"], one["lowest"]) for one in found
    ]


def seal(*, heads: list[FullHead], keep: int) -> None:
    """Cut buckets off these heads until each has fewer than two bucketfuls, and drop what is then
    beyond ``keep`` buckets.

    Three steps of one command each, and a crash between any two loses nothing. First the buckets are
    *copied*: who comes second finds them there with the same content, because ``ids`` only grows at
    its end while ``gen`` and ``seq`` stand. Then the heads give the copied ids up, guarded by ``gen``
    and ``seq``; the same update raises the floor to the highest id of what is dropped. Last go the
    buckets dropped by earlier seals, with any that a crash left behind.
    """
    _insert_buckets(heads)
    inbox_heads().bulk_write(_trims(heads, keep), ordered=False)
    _delete_dropped(heads)


def _cuts(head: FullHead) -> list[list[int]]:
    """The ids of each bucket to be cut: always the first *positions*, never the lowest ids."""
    return [head.ids[i : i + BUCKET_SIZE] for i in range(0, len(head.ids), BUCKET_SIZE)]


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
        {"owner": head.owner, "gen": head.gen, "seq": {"$lt": head.lowest}}
        for head in heads
        if head.lowest and -head.seq % DROP_EVERY < len(_cuts(head))
    ]
    if below:
        inbox_buckets().delete_many({"$or": below})


def head(*, owner: int) -> Head | None:
    found = inbox_heads().find_one({"_id": owner})
    return None if found is None else _head(found)


def bucket_ids(*, head: Head) -> list[int]:
    """All sealed ids of this inbox, in no order: one command for about twenty small documents.

    Raises BucketGone.
    """
    kept = [seq for _, seq in head.kept]
    query = {"owner": head.owner, "gen": head.gen, "seq": {"$in": kept}}
    found = list(inbox_buckets().find(query, {"_id": 0, "ids": 1}))
    if len(found) < len(kept):
        raise BucketGone
    return [activity for one in found for activity in one["ids"]]


def create_head(*, owner: int, gen: int, now: datetime) -> Head:
    """Begin an inbox: from here on deliveries land in it. Returns the one there is."""
    document = {
        "_id": owner,
        "ids": [],
        "n": 0,
        "gen": gen,
        "seq": 0,
        "kept": [],
        "top": 0,
        "floor": 0,
        "built_at": None,
        "last_seen": now,
    }
    try:
        inbox_heads().insert_one(document)
    except DuplicateKeyError:
        if (present := head(owner=owner)) is not None:
            return present
        return create_head(owner=owner, gen=gen, now=now)
    return _head(document)


def finish_head(*, owner: int, gen: int, missing: list[int], floor: int, now: datetime) -> bool:
    """Give a begun inbox what had been published before, once; False if somebody else has."""
    built = inbox_heads().update_one(
        {"_id": owner, "gen": gen, "built_at": None},
        [
            {"$set": {**_with_missing(missing), "floor": {"$max": ["$floor", floor]}}},
            {"$set": {"n": {"$size": "$ids"}, "built_at": now}},
        ],
    )
    return bool(built.modified_count)


def append_missing(*, owner: int, gen: int, ids: list[int], floor: int) -> None:
    """Append those of ``ids`` that the head lacks, and raise the floor to ``floor`` if it is lower."""
    inbox_heads().update_one(
        {"_id": owner, "gen": gen},
        [
            {"$set": {**_with_missing(ids), "floor": {"$max": ["$floor", floor]}}},
            {"$set": {"n": {"$size": "$ids"}}},
        ],
    )


def drop(*, owner: int, gen: int) -> None:
    """End this life of an inbox; a later one is not touched."""
    inbox_heads().delete_one({"_id": owner, "gen": gen})
    inbox_buckets().delete_many({"owner": owner, "gen": gen})


def stamp_last_seen(*, owner: int, gen: int, now: datetime) -> None:
    inbox_heads().update_one({"_id": owner, "gen": gen}, {"$max": {"last_seen": now}})


def _with_missing(ids: list[int]) -> Document:
    lacking = {"$setDifference": [{"$literal": ids}, "$ids"]}
    return {"ids": {"$concatArrays": ["$ids", lacking]}}


def _head(document: Document) -> Head:
    built_at = document["built_at"]
    return Head(
        owner=document["_id"],
        ids=document["ids"],
        gen=document["gen"],
        seq=document["seq"],
        kept=document["kept"],
        top=document["top"],
        floor=document["floor"],
        built_at=built_at and built_at.replace(tzinfo=UTC),
        last_seen=document["last_seen"].replace(tzinfo=UTC),
    )
