"""Inboxes with a counter per owner: a published design, with its errors corrected.

    counted_heads  {_id: owner, gen, count, floor, built_at, build_requested_at, last_seen, is_dropping?}
    counted_buckets  {owner, gen, seq, ids: [<= 50]}        unique (owner, gen, seq); (owner, ids)

The design is from Asya Kamsky, Darren Wood and Antoine Girbal, "Socialite", MongoDB World 2014. The n-th
entry of an owner, counted from 1, belongs in bucket ``(n - 1) // 50``, so no writer has to search for a
bucket.

In the published design, the counter and the push are two commands. A writer that dies between the commands
leaves a gap, and a retry duplicates an entry. Here, one transaction contains both commands for a chunk of
owners, so all buckets but the last are always full. If two writers change the same counter, one transaction
is retried. ``lifecycle`` explains the other fields.
"""

from collections.abc import Iterable
from datetime import datetime

from pymongo import ASCENDING, UpdateOne

from accounts.infra.store.connection import Document, session
from accounts.infra.transactions import BACKGROUND_ATTEMPTS, transactional
from feed.store.collections import counted_buckets, counted_heads

from . import seal
from .lifecycle import InboxHead, InboxLifecycle


def create_indexes() -> None:
    lifecycle.create_indexes()
    counted_buckets().create_index(
        [("owner", ASCENDING), ("gen", ASCENDING), ("seq", ASCENDING)], unique=True
    )
    # ``push_entry`` finds the owners who already have the activity with this index.
    counted_buckets().create_index([("owner", ASCENDING), ("ids", ASCENDING)])


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def push_entry(*, owners: list[int], activity: int) -> dict[int, int]:
    """Append the activity to the owners' inboxes, except inboxes that already have it.

    Return the generations, by owner, of the inboxes that got a new bucket. Only these inboxes may need to
    be trimmed. One transaction of four commands. Safe to repeat.
    """
    heads = _read_heads(owners)
    if not heads:
        return {}
    buckets = counted_buckets().find(
        {"owner": {"$in": list(heads)}, "ids": activity}, {"owner": 1, "gen": 1}, session=session()
    )
    for bucket in buckets:
        if bucket["owner"] in heads and heads[bucket["owner"]]["gen"] == bucket["gen"]:
            del heads[bucket["owner"]]
    if not heads:
        return {}
    counted_heads().update_many(
        {"_id": {"$in": list(heads)}}, {"$inc": {"count": 1}}, session=session()
    )
    _push_ids((head, [activity]) for head in heads.values())
    return {
        owner: head["gen"] for owner, head in heads.items() if head["count"] % seal.BUCKET_SIZE == 0
    }


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def append_missing(*, owner: int, gen: int, ids: list[int], floor: int) -> None:
    """Append the ids that are missing in the inbox, and raise the floor to at least ``floor``."""
    head = _read_heads([owner]).get(owner)
    if head is not None and head["gen"] == gen:
        _append_ids(head, ids, floor, {})


def all_ids(*, head: InboxHead) -> list[int]:
    """Return all ids of the inbox, unordered, including ids below the floor. One command."""
    buckets = counted_buckets().find({"owner": head.owner, "gen": head.gen}, {"_id": 0, "ids": 1})
    return [activity for bucket in buckets for activity in bucket["ids"]]


def trim_inboxes(*, generations: dict[int, int], max_buckets: int) -> None:
    """Drop the oldest buckets of these inboxes, so that at most ``max_buckets`` are left. Three commands.

    ``generations`` maps owners to generations. Buckets are compared by the highest id in each bucket.
    Only full buckets are dropped, because another bucket may get a newer id at the same time. The floor is
    raised first, so that pages read the posts of dropped buckets from the collection of posts.
    """
    if not generations:
        return
    inboxes = [{"owner": owner, "gen": gen} for owner, gen in generations.items()]
    is_full = {"$gte": [{"$size": "$ids"}, seal.BUCKET_SIZE]}
    bucket = {"highest": {"$max": "$ids"}, "seq": "$seq", "is_full": is_full}
    groups = counted_buckets().aggregate(
        [
            {"$match": {"$or": inboxes}},
            {
                "$group": {
                    "_id": {"owner": "$owner", "gen": "$gen"},
                    "buckets": {"$push": bucket},
                }
            },
            {"$match": {"$expr": {"$gt": [{"$size": "$buckets"}, max_buckets]}}},
        ]
    )
    dropped: list[tuple[Document, int, list[int]]] = []
    for group in groups:
        buckets = group["buckets"]
        full = sorted((each["highest"], each["seq"]) for each in buckets if each["is_full"])
        if lowest := full[: len(buckets) - max_buckets]:
            dropped.append((group["_id"], lowest[-1][0], [seq for _, seq in lowest]))
    if not dropped:
        return
    counted_heads().bulk_write(
        [
            UpdateOne({"_id": inbox["owner"], "gen": inbox["gen"]}, {"$max": {"floor": floor}})
            for inbox, floor, _ in dropped
        ],
        ordered=False,
    )
    counted_buckets().delete_many(
        {"$or": [{**inbox, "seq": {"$in": seqs}} for inbox, _, seqs in dropped]}
    )


class _CountedLifecycle(InboxLifecycle[InboxHead]):
    @transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
    def finish_build(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> None:
        head = _read_heads([owner]).get(owner)
        if head is not None and head["gen"] == gen and head["built_at"] is None:
            _append_ids(head, missing, floor, {"built_at": now})


lifecycle = _CountedLifecycle(
    heads=counted_heads, parts=counted_buckets, head_class=InboxHead, own_fields={"count": 0}
)


def _read_heads(owners: list[int]) -> dict[int, Document]:
    fields = {"gen": 1, "count": 1, "built_at": 1}
    query = {"_id": {"$in": owners}, "is_dropping": None}
    heads = counted_heads().find(query, fields, session=session())
    return {head["_id"]: head for head in heads}


def _append_ids(head: Document, ids: list[int], floor: int, changes: Document) -> None:
    inbox = {"owner": head["_id"], "gen": head["gen"]}
    buckets = counted_buckets().find(inbox, {"_id": 0, "ids": 1}, session=session())
    existing_ids = {activity for bucket in buckets for activity in bucket["ids"]}
    missing_ids = sorted(set(ids) - existing_ids)
    counted_heads().update_one(
        {"_id": head["_id"]},
        {"$inc": {"count": len(missing_ids)}, "$max": {"floor": floor}, "$set": changes},
        session=session(),
    )
    _push_ids([(head, missing_ids)])


def _push_ids(heads_and_ids: Iterable[tuple[Document, list[int]]]) -> None:
    """Append ids to inboxes. The ``count`` in each given head determines the bucket."""
    size = seal.BUCKET_SIZE
    pushes = []
    for head, ids in heads_and_ids:
        start, count = 0, head["count"]
        while start < len(ids):
            chunk = ids[start : start + size - count % size]
            bucket = {"owner": head["_id"], "gen": head["gen"], "seq": count // size}
            pushes.append(UpdateOne(bucket, {"$push": {"ids": {"$each": chunk}}}, upsert=True))
            start, count = start + len(chunk), count + len(chunk)
    if pushes:
        counted_buckets().bulk_write(pushes, ordered=False, session=session())
