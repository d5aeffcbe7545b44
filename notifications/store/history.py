"""Durable notifications that no longer fit into a box, in buckets that never expire.

    notification_history {owner, seq, rows: [50, oldest first]}                unique (owner, seq)

``seq`` numbers the buckets of a user from 0. Sealing moves rows from a box to a bucket, as in
``feed.timeline.store.seal``:

1. The sealer writes the bucket. If the bucket exists, the sealer uses the rows of the bucket instead, so
   concurrent sealers agree.
2. The sealer removes the rows of the bucket from the box and increments the box's ``seq``.
3. The sealer deletes rows from the bucket that had left the box before step 2.

Selectors use only buckets below the box's ``seq``. If a sealer dies after step 1, its bucket is invisible.
"""

from collections.abc import Collection, Sequence

from pymongo import ASCENDING, DESCENDING, ReturnDocument

from accounts.infra.store.connection import Document

from . import boxes
from .collections import notification_history
from .expressions import BUCKET_SIZE
from .rows import NotificationRow, row_from_document

MAX_BUCKETS_PER_RUN = 10


def create_indexes() -> None:
    notification_history().create_index([("owner", ASCENDING), ("seq", ASCENDING)], unique=True)
    notification_history().create_index([("rows.post", ASCENDING)])


def seal_overflow(*, recipients: Sequence[int]) -> None:
    """Move overflow rows to the history in full buckets. Safe to repeat and to interrupt."""
    for recipient in recipients:
        for _ in range(MAX_BUCKETS_PER_RUN):
            seq, overflow = boxes.overflow_rows(recipient=recipient)
            if len(overflow) < BUCKET_SIZE:
                break
            bucket = {"owner": recipient, "seq": seq}
            ids = [row["id"] for row in _upsert_bucket(bucket, overflow[:BUCKET_SIZE])]
            if missing_ids := boxes.remove_sealed(recipient=recipient, seq=seq, ids=ids):
                notification_history().update_one(
                    bucket, {"$pull": {"rows": {"id": {"$in": missing_ids}}}}
                )


def _upsert_bucket(bucket: Document, rows: list[Document]) -> list[Document]:
    """Create the bucket with these rows unless it exists. Return the rows of the bucket."""
    document = notification_history().find_one_and_update(
        bucket, {"$setOnInsert": {"rows": rows}}, upsert=True, return_document=ReturnDocument.AFTER
    )
    assert document is not None  # noqa: S101 - narrows the type: the upsert created it
    bucket_rows: list[Document] = document["rows"]
    return bucket_rows


def newest_bucket(
    *, recipient: int, below_seq: int, min_seq: int
) -> tuple[int, list[NotificationRow]] | None:
    """Return the ``seq`` of the newest bucket in ``[min_seq, below_seq)``, and its rows, newest first.

    Returns None if there is no bucket in this range.
    """
    bucket = notification_history().find_one(
        {"owner": recipient, "seq": {"$lt": below_seq, "$gte": min_seq}}, sort=[("seq", DESCENDING)]
    )
    if bucket is None:
        return None
    return bucket["seq"], [row_from_document(document) for document in reversed(bucket["rows"])]


def rows_between(
    *,
    recipient: int,
    below_seq: int,
    min_seq: int,
    id_range: tuple[int, int],
    max_buckets: int,
    is_ascending: bool,
) -> tuple[list[NotificationRow], bool]:
    """Return the rows of at most ``max_buckets`` buckets, and whether there may be more buckets.

    Runs one command.

    Args:
        below_seq: upper bound of the bucket numbers, exclusive.
        min_seq: lower bound of the bucket numbers, inclusive.
        id_range: exclusive bounds of ids. A bucket is included if one of its ids is in this range, with all
            rows of the bucket.
        is_ascending: whether to start with the oldest buckets instead of the newest.
    """
    lowest, highest = id_range
    buckets = list(
        notification_history().find(
            {
                "owner": recipient,
                "seq": {"$lt": below_seq, "$gte": min_seq},
                "rows": {"$elemMatch": {"id": {"$gt": lowest, "$lt": highest}}},
            },
            sort=[("seq", ASCENDING if is_ascending else DESCENDING)],
            limit=max_buckets,
        )
    )
    return [row_from_document(document) for bucket in buckets for document in bucket["rows"]], len(
        buckets
    ) == max_buckets


def find_row(
    *, recipient: int, below_seq: int, min_seq: int, row_id: int
) -> NotificationRow | None:
    """Return a row of the history, or None if there is no such row. Runs one command."""
    seqs = {"$lt": below_seq, "$gte": min_seq}
    bucket = notification_history().find_one(
        {"owner": recipient, "seq": seqs, "rows.id": row_id}, {"rows.$": 1}
    )
    return None if bucket is None else row_from_document(bucket["rows"][0])


def remove_rows(*, recipient: int, ids: Collection[int]) -> None:
    notification_history().update_many(
        {"owner": recipient, "rows.id": {"$in": list(ids)}},
        {"$pull": {"rows": {"id": {"$in": list(ids)}}}},
    )


def withdraw_actor(*, recipient: int, actor: int) -> None:
    notification_history().update_many({"owner": recipient}, {"$pull": {"rows": {"actor": actor}}})


def erase_user(*, uid: int) -> None:
    notification_history().delete_many({"owner": uid})
    notification_history().update_many({"rows.actor": uid}, {"$pull": {"rows": {"actor": uid}}})


def withdraw_post(*, post_id: int, comment_id: int | None = None) -> None:
    condition = (
        {"post": post_id} if comment_id is None else {"post": post_id, "comment": comment_id}
    )
    notification_history().update_many({"rows.post": post_id}, {"$pull": {"rows": condition}})
