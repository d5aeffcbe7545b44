"""Home timelines as documents: an open head and sealed buckets for each warm reader.

    inbox_heads    {_id: owner, ids, n, gen, seq, kept: [[seq, hi]], top, floor, built_at, last_seen}
    inbox_buckets  {owner, gen, seq, ids: [50]}                     unique (owner, gen, seq)

``ids`` holds activity ids in the order of *arrival* and is append-only but for sealing. ``seq`` is the
next bucket's number, ``kept`` the numbers and highest ids of the buckets there are, and ``top`` the
highest id ever sealed: head ids above it are certainly the newest. The inbox is complete above
``floor`` and ignored at or below it. ``gen`` names one life of an inbox, from its building to its
dropping. Here are the single steps, each safe to repeat; ``strategies.buckets`` puts them together.

The published design (a counter on the user, ``floor(count / 50)``, push: Asya Kamsky, Darren Wood and
Antoine Girbal, "Socialite", MongoDB World 2014) costs two round trips for each recipient and leaves
a hole when a writer dies between them. Here one command delivers to a thousand readers, and
buckets are cut afterwards.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING, DeleteMany, InsertOne, UpdateOne
from pymongo.errors import BulkWriteError, DuplicateKeyError

from .collections import Document, inbox_buckets, inbox_heads

BUCKET_SIZE = 50
SEAL_AT = 2 * BUCKET_SIZE
DUPLICATE_KEY = 11000


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


def full_heads(*, owners: list[int]) -> list[Head]:
    """The built heads among these that are due for sealing."""
    query = {"_id": {"$in": owners}, "n": {"$gte": SEAL_AT}, "built_at": {"$ne": None}}
    return [_head(one) for one in inbox_heads().find(query)]


def seal(*, heads: list[Head], keep: int) -> None:
    """Cut buckets off these heads until each has fewer than ``SEAL_AT`` ids, and drop what is then
    beyond ``keep`` buckets.

    Three steps, and a crash between any two loses nothing. First the buckets are *copied*: who comes
    second finds them there with the same content, because ``ids`` only grows at its end while ``gen``
    and ``seq`` stand. Then the heads give the copied ids up, guarded by ``gen`` and ``seq``; the same
    update raises the floor to the highest id of what is dropped. Last the dropped buckets go, with
    any that a crash left behind.
    """
    _insert_buckets(heads)
    inbox_heads().bulk_write([_trim(head, keep) for head in heads], ordered=False)
    _delete_dropped([head.owner for head in heads if len(head.kept) + len(_cuts(head)) > keep])


def _cuts(head: Head) -> list[list[int]]:
    """The ids of each bucket to be cut: always the first *positions*, never the lowest ids."""
    count = len(head.ids) // BUCKET_SIZE - 1
    return [head.ids[i * BUCKET_SIZE : (i + 1) * BUCKET_SIZE] for i in range(count)]


def _insert_buckets(heads: list[Head]) -> None:
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


def _trim(head: Head, keep: int) -> UpdateOne:
    cut = [[head.seq + i, max(ids)] for i, ids in enumerate(_cuts(head))]
    newest_first = sorted([*head.kept, *cut], key=lambda one: one[1], reverse=True)
    moved = len(cut) * BUCKET_SIZE
    rest = {"$max": [1, {"$subtract": [{"$size": "$ids"}, moved]}]}
    changes: Document = {
        "ids": {"$slice": ["$ids", moved, rest]},
        "n": {"$subtract": ["$n", moved]},
        "seq": head.seq + len(cut),
        "kept": {"$literal": newest_first[:keep]},
        "top": {"$max": ["$top", max(hi for _, hi in cut)]},
    }
    if dropped := newest_first[keep:]:
        changes["floor"] = {"$max": ["$floor", dropped[0][1]]}
    return UpdateOne({"_id": head.owner, "gen": head.gen, "seq": head.seq}, [{"$set": changes}])


def _delete_dropped(owners: list[int]) -> None:
    # By what the heads say now, not by what was planned: another process may have won the race.
    # No bucket ever comes back into "kept".
    if owners:
        heads = inbox_heads().find({"_id": {"$in": owners}}, {"gen": 1, "seq": 1, "kept": 1})
        stale = [
            DeleteMany(
                {
                    "owner": one["_id"],
                    "gen": one["gen"],
                    "seq": {"$lt": one["seq"], "$nin": [seq for seq, _ in one["kept"]]},
                }
            )
            for one in heads
        ]
        inbox_buckets().bulk_write(stale, ordered=False)


def head(*, owner: int) -> Head | None:
    found = inbox_heads().find_one({"_id": owner})
    return None if found is None else _head(found)


def bucket_ids(*, head: Head) -> list[int]:
    """All sealed ids of this inbox, in no order: one command for about twenty small documents.

    Raises BucketGone.
    """
    kept = [seq for seq, _ in head.kept]
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
