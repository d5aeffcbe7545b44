"""Inboxes with buckets: an open head and sealed buckets for each warm user.

    inbox_heads    {_id: owner, ids, n, gen, seq, buckets: [[highest, seq]], top, floor,
                    built_at, build_requested_at, last_seen, is_dropping?}
    inbox_buckets  {owner, gen, seq, ids: [50]}                     unique (owner, gen, seq)

* ``ids``: activity ids in order of *arrival*. New ids are appended, and only sealing removes ids.
* ``n``: the number of ``ids``.
* ``seq``: the number of the next bucket.
* ``buckets``: the highest id and the number of each valid bucket.
* ``top``: the highest id ever sealed. Ids in the head above ``top`` are newer than all sealed ids.

``lifecycle`` explains the other fields. The functions here are single steps, each safe to repeat. ``seal``
moves ids into buckets, and ``strategies.buckets`` combines the steps.

The published design (``counted_inboxes``) costs two round trips per recipient. Here, one command delivers
to a thousand owners, and full heads are sealed afterwards.
"""

from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING

from accounts.infra.store.connection import Document
from feed.store.collections import inbox_buckets, inbox_heads

from .lifecycle import InboxHead, InboxLifecycle


@dataclass(frozen=True, slots=True)
class BucketHead(InboxHead):
    ids: list[int]
    seq: int
    buckets: list[list[int]]
    top: int


class BucketGone(LookupError):
    """A bucket was dropped after the head was read. The caller reads the head again, with its new floor."""


def create_indexes() -> None:
    inbox_buckets().create_index(
        [("owner", ASCENDING), ("gen", ASCENDING), ("seq", ASCENDING)], unique=True
    )
    lifecycle.create_indexes()


def push_entry(*, owners: list[int], activity: int) -> None:
    """Append the activity to the heads of these owners.

    One command for all owners. Owners without a head, such as dormant users, are skipped. Safe to repeat.
    """
    inbox_heads().update_many(
        {"_id": {"$in": owners}, "ids": {"$ne": activity}},
        {"$push": {"ids": activity}, "$inc": {"n": 1}},
    )


def bucket_ids(*, head: BucketHead) -> list[int]:
    """Return all sealed ids of the inbox, unordered. Raises BucketGone.

    One command, which reads about twenty small documents from a full inbox.
    """
    seqs = [seq for _, seq in head.buckets]
    query = {"owner": head.owner, "gen": head.gen, "seq": {"$in": seqs}}
    buckets = list(inbox_buckets().find(query, {"_id": 0, "ids": 1}))
    if len(buckets) < len(seqs):
        raise BucketGone
    return [activity for bucket in buckets for activity in bucket["ids"]]


def append_missing(*, owner: int, gen: int, ids: list[int], floor: int) -> None:
    """Append the ids that are missing in the head, and raise the floor to at least ``floor``."""
    inbox_heads().update_one(
        {"_id": owner, "gen": gen},
        [
            {"$set": {**_with_missing(ids), "floor": {"$max": ["$floor", floor]}}},
            {"$set": {"n": {"$size": "$ids"}}},
        ],
    )


def drop_inbox(*, owner: int, gen: int) -> None:
    """Drop one generation of an inbox. Later generations are not affected."""
    inbox_heads().delete_one({"_id": owner, "gen": gen})
    inbox_buckets().delete_many({"owner": owner, "gen": gen})


class _BucketLifecycle(InboxLifecycle[BucketHead]):
    def finish_build(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> None:
        inbox_heads().update_one(
            {"_id": owner, "gen": gen, "built_at": None},
            [
                {"$set": {**_with_missing(missing), "floor": {"$max": ["$floor", floor]}}},
                {"$set": {"n": {"$size": "$ids"}, "built_at": now}},
            ],
        )


def _with_missing(ids: list[int]) -> Document:
    missing_ids = {"$setDifference": [{"$literal": ids}, "$ids"]}
    return {"ids": {"$concatArrays": ["$ids", missing_ids]}}


lifecycle = _BucketLifecycle(
    heads=inbox_heads,
    parts=inbox_buckets,
    head_class=BucketHead,
    own_fields={"ids": [], "n": 0, "seq": 0, "buckets": [], "top": 0},
)
