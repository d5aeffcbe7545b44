"""Home timelines as documents: an open head and sealed buckets for each warm reader.

    inbox_heads    {_id: owner, ids, n, gen, seq, kept: [[hi, seq]], top, floor, built_at, begun_at,
                    last_seen, dropping?}
    inbox_buckets  {owner, gen, seq, ids: [50]}                     unique (owner, gen, seq)

``ids`` holds activity ids in the order of *arrival* and is append-only but for sealing. ``seq`` is the
next bucket's number, ``kept`` the highest ids and numbers of the buckets that count, and ``top`` the
highest id ever sealed: head ids above it are certainly the newest. The inbox is complete above
``floor`` and ignored at or below it. ``gen`` names one life of an inbox, from its building to its
dropping (``lives``). Here are the single steps, each safe to repeat; ``sealing`` cuts the buckets, and
``strategies.buckets`` puts all together.

The published design (a counter on the user, ``floor(count / 50)``, push: Asya Kamsky, Darren Wood and
Antoine Girbal, "Socialite", MongoDB World 2014) costs two round trips for each recipient and leaves
a hole when a writer dies between them. Here one command delivers to a thousand readers, and
buckets are cut afterwards.
"""

from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING

from feed.store.collections import Document, inbox_buckets, inbox_heads

from .lifecycle import InboxHead, InboxLifecycle, head_fields


@dataclass(frozen=True, slots=True)
class BucketHead(InboxHead):
    ids: list[int]
    seq: int
    buckets: list[list[int]]
    top: int


class BucketGone(LookupError):
    """A bucket was dropped since the head was read: read the head again, its floor has risen."""


def create_indexes() -> None:
    inbox_buckets().create_index(
        [("owner", ASCENDING), ("gen", ASCENDING), ("seq", ASCENDING)], unique=True
    )
    lifecycle.create_indexes()


def push_entry(*, owners: list[int], activity: int) -> int:
    """Append the activity to the heads of these readers: ONE command; returns how many got it.

    A repeat changes nothing, and who has no head (a dormant reader) costs nothing.
    """
    delivered = inbox_heads().update_many(
        {"_id": {"$in": owners}, "ids": {"$ne": activity}},
        {"$push": {"ids": activity}, "$inc": {"n": 1}},
    )
    return delivered.modified_count


def bucket_ids(*, head: BucketHead) -> list[int]:
    """All sealed ids of this inbox, in no order: one command for about twenty small documents.

    Raises BucketGone.
    """
    kept = [seq for _, seq in head.buckets]
    query = {"owner": head.owner, "gen": head.gen, "seq": {"$in": kept}}
    found = list(inbox_buckets().find(query, {"_id": 0, "ids": 1}))
    if len(found) < len(kept):
        raise BucketGone
    return [activity for one in found for activity in one["ids"]]


def append_missing(*, owner: int, gen: int, ids: list[int], floor: int) -> None:
    """Append those of ``ids`` that the head lacks, and raise the floor to ``floor`` if it is lower."""
    inbox_heads().update_one(
        {"_id": owner, "gen": gen},
        [
            {"$set": {**_with_missing(ids), "floor": {"$max": ["$floor", floor]}}},
            {"$set": {"n": {"$size": "$ids"}}},
        ],
    )


def ask_again(*, owner: int, gen: int, now: datetime) -> None:
    """Note that somebody has just been asked to build this inbox."""
    inbox_heads().update_one(
        {"_id": owner, "gen": gen, "built_at": None}, {"$set": {"begun_at": now}}
    )


def drop_inbox(*, owner: int, gen: int) -> None:
    """End this life of an inbox; a later one is not touched."""
    inbox_heads().delete_one({"_id": owner, "gen": gen})
    inbox_buckets().delete_many({"owner": owner, "gen": gen})


class _Inboxes(InboxLifecycle[BucketHead]):
    def finish_build(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> bool:
        """Give a begun inbox what had been published before, once; False if somebody else has."""
        built = inbox_heads().update_one(
            {"_id": owner, "gen": gen, "built_at": None},
            [
                {"$set": {**_with_missing(missing), "floor": {"$max": ["$floor", floor]}}},
                {"$set": {"n": {"$size": "$ids"}, "built_at": now}},
            ],
        )
        return bool(built.modified_count)


def _with_missing(ids: list[int]) -> Document:
    lacking = {"$setDifference": [{"$literal": ids}, "$ids"]}
    return {"ids": {"$concatArrays": ["$ids", lacking]}}


def _head(document: Document) -> BucketHead:
    own = {name: document[name] for name in ("ids", "seq", "kept", "top")}
    return BucketHead(**head_fields(document), **own)


lifecycle = _Inboxes(
    heads=inbox_heads,
    parts=inbox_buckets,
    new_head_fields={"ids": [], "n": 0, "seq": 0, "kept": [], "top": 0},
    from_document=_head,
)
