"""Home timelines by a counter on the reader: the published design, made correct.

    counted_readers  {_id: owner, gen, count, floor, built_at, begun_at, last_seen, dropping?}
    counted_buckets  {owner, gen, seq, ids: [<= 50]}        unique (owner, gen, seq); (owner, ids)

From Asya Kamsky, Darren Wood and Antoine Girbal, "Socialite", MongoDB World 2014: the n-th entry of a
reader, counted from 1, belongs into bucket ``(n - 1) // 50``, and nobody ever looks for room. There the
counter and the push are two commands, so a writer who dies between them leaves a hole and a retry an
entry twice. Here a chunk of readers is ONE transaction: all buckets but the last are full, always.
Writers who meet do so in the counter, and one of them runs again. What the other fields of a reader mean:
``lives``.
"""

from collections.abc import Iterable
from datetime import datetime

from pymongo import ASCENDING, UpdateOne

from accounts.infra.transactions import BACKGROUND_ATTEMPTS, transactional
from feed.store.collections import Document, counted_buckets, counted_readers, session

from . import seal
from .lifecycle import InboxHead, InboxLifecycle, head_from_document


def create_indexes() -> None:
    lifecycle.create_indexes()
    counted_buckets().create_index(
        [("owner", ASCENDING), ("gen", ASCENDING), ("seq", ASCENDING)], unique=True
    )
    # Tells which readers have an activity already.
    counted_buckets().create_index([("owner", ASCENDING), ("ids", ASCENDING)])


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def push_entry(*, owners: list[int], activity: int) -> dict[int, int]:
    """Append the activity for those of these readers who have an inbox and lack it, in one transaction
    of four commands. Returns the ``gen`` of those by owner for whom a bucket was begun.

    A repeat changes nothing.
    """
    warm = _counters(owners)
    if not warm:
        return {}
    held = counted_buckets().find(
        {"owner": {"$in": list(warm)}, "ids": activity}, {"owner": 1, "gen": 1}, session=session()
    )
    for bucket in held:
        if bucket["owner"] in warm and warm[bucket["owner"]]["gen"] == bucket["gen"]:
            del warm[bucket["owner"]]
    if not warm:
        return {}
    counted_readers().update_many(
        {"_id": {"$in": list(warm)}}, {"$inc": {"count": 1}}, session=session()
    )
    _push_each((reader, [activity]) for reader in warm.values())
    return {
        owner: reader["gen"]
        for owner, reader in warm.items()
        if reader["count"] % seal.BUCKET_SIZE == 0
    }


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def append_missing(*, owner: int, gen: int, ids: list[int], floor: int) -> None:
    """Append those of ``ids`` that the inbox lacks, and raise the floor to ``floor`` if it is lower."""
    reader = _counters([owner]).get(owner)
    if reader is not None and reader["gen"] == gen:
        _append(reader, ids, floor, {})


def all_ids(*, head: InboxHead) -> list[int]:
    """All ids of this inbox, also those below the floor, in no order: one command."""
    found = counted_buckets().find({"owner": head.owner, "gen": head.gen}, {"_id": 0, "ids": 1})
    return [activity for one in found for activity in one["ids"]]


def trim_inboxes(*, generations: dict[int, int], max_buckets: int) -> None:
    """Drop what these readers (generations by owner) hold beyond ``keep`` buckets: three commands.

    The buckets with the lowest highest ids go. Only full ones, which never change again: others may
    get a higher id while this runs. The floor is raised first: a reader who sees the higher floor asks
    the posts for what lies below it.
    """
    if not generations:
        return
    either = [{"owner": owner, "gen": gen} for owner, gen in generations.items()]
    is_full = {"$gte": [{"$size": "$ids"}, seal.BUCKET_SIZE]}
    bucket = {"highest": {"$max": "$ids"}, "seq": "$seq", "is_full": is_full}
    there = counted_buckets().aggregate(
        [
            {"$match": {"$or": either}},
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
    for one in there:
        full = sorted((it["highest"], it["seq"]) for it in one["buckets"] if it["is_full"])
        if lowest := full[: len(one["buckets"]) - max_buckets]:
            dropped.append((one["_id"], lowest[-1][0], [seq for _, seq in lowest]))
    if not dropped:
        return
    counted_readers().bulk_write(
        [
            UpdateOne({"_id": of["owner"], "gen": of["gen"]}, {"$max": {"floor": floor}})
            for of, floor, _ in dropped
        ],
        ordered=False,
    )
    counted_buckets().delete_many(
        {"$or": [{**of, "seq": {"$in": seqs}} for of, _, seqs in dropped]}
    )


class _Counted(InboxLifecycle[InboxHead]):
    @transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
    def finish_build(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> bool:
        """Give a begun inbox what had been published before, once; False if somebody else has."""
        reader = _counters([owner]).get(owner)
        if reader is None or reader["gen"] != gen or reader["built_at"] is not None:
            return False
        _append(reader, missing, floor, {"built_at": now})
        return True


lifecycle = _Counted(
    heads=counted_readers,
    parts=counted_buckets,
    new_head_fields={"count": 0},
    from_document=head_from_document,
)


def _counters(owners: list[int]) -> dict[int, Document]:
    fields = {"gen": 1, "count": 1, "built_at": 1}
    query = {"_id": {"$in": owners}, "dropping": None}
    found = counted_readers().find(query, fields, session=session())
    return {one["_id"]: one for one in found}


def _append(reader: Document, ids: list[int], floor: int, changes: Document) -> None:
    of = {"owner": reader["_id"], "gen": reader["gen"]}
    buckets = counted_buckets().find(of, {"_id": 0, "ids": 1}, session=session())
    held = {activity for one in buckets for activity in one["ids"]}
    lacking = sorted(set(ids) - held)
    counted_readers().update_one(
        {"_id": reader["_id"]},
        {"$inc": {"count": len(lacking)}, "$max": {"floor": floor}, "$set": changes},
        session=session(),
    )
    _push_each([(reader, lacking)])


def _push_each(new: Iterable[tuple[Document, list[int]]]) -> None:
    """Put the next entries of each reader where its counter, as it was read, says."""
    size = seal.BUCKET_SIZE
    pushes = []
    for reader, ids in new:
        at, count = 0, reader["count"]
        while at < len(ids):
            part = ids[at : at + size - count % size]
            bucket = {"owner": reader["_id"], "gen": reader["gen"], "seq": count // size}
            pushes.append(UpdateOne(bucket, {"$push": {"ids": {"$each": part}}}, upsert=True))
            at, count = at + len(part), count + len(part)
    if pushes:
        counted_buckets().bulk_write(pushes, ordered=False, session=session())
