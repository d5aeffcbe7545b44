"""Durable notifications that no longer fit into a box, in buckets that go on for ever.

    notification_history {owner, seq, items: [50, the oldest first]}            unique (owner, seq)

Sealed as an inbox is (``feed.timeline.store.seal``): the bucket is written first, then the box lets go of its
items and counts on. Readers take buckets below the ``seq`` of the box, so what a crash leaves is not seen.
A bucket is written once and never over: who finds one goes on with what is in it, so that two who seal at
once, or one long after the other, mean the same items. What the box has lost meanwhile leaves the bucket.
"""

from collections.abc import Collection, Sequence

from pymongo import ASCENDING, DESCENDING, ReturnDocument

from . import boxes
from .collections import Document, notification_history
from .expressions import BUCKET_SIZE
from .rows import NotificationRow, row_from_document

MAX_BUCKETS_PER_RUN = 10


def create_indexes() -> None:
    notification_history().create_index([("owner", ASCENDING), ("seq", ASCENDING)], unique=True)
    notification_history().create_index([("items.post", ASCENDING)])


def seal_overflow(*, recipients: Sequence[int]) -> None:
    """Bring kept items into the history, as many as fill a bucket. Safe to repeat, and to be killed."""
    for reader in recipients:
        for _ in range(MAX_BUCKETS_PER_RUN):
            seq, kept = boxes.overflow_rows(recipient=reader)
            if len(kept) < BUCKET_SIZE:
                break
            one = {"owner": reader, "seq": seq}
            ids = [item["id"] for item in _written(one, kept[:BUCKET_SIZE])]
            if gone := boxes.remove_sealed(recipient=reader, seq=seq, ids=ids):
                notification_history().update_one(one, {"$pull": {"items": {"id": {"$in": gone}}}})


def _written(one: Document, items: list[Document]) -> list[Document]:
    """What is in this bucket, if need be from now on."""
    found = notification_history().find_one_and_update(
        one, {"$setOnInsert": {"items": items}}, upsert=True, return_document=ReturnDocument.AFTER
    )
    assert found is not None  # noqa: S101 - narrows the type: it was made if there was none
    written: list[Document] = found["items"]
    return written


def newest_bucket(
    *, recipient: int, below_seq: int, min_seq: int
) -> tuple[int, list[NotificationRow]] | None:
    """The newest bucket with a number below one and not below another: its number and its items, the newest
    first."""
    found = notification_history().find_one(
        {"owner": recipient, "seq": {"$lt": below_seq, "$gte": min_seq}}, sort=[("seq", DESCENDING)]
    )
    if found is None:
        return None
    return found["seq"], [row_from_document(one) for one in reversed(found["items"])]


def rows_between(
    *,
    recipient: int,
    below_seq: int,
    min_seq: int,
    id_range: tuple[int, int],
    max_buckets: int,
    is_ascending: bool,
) -> tuple[list[NotificationRow], bool]:
    """Items of at most so many buckets that have some with ids between the ``bounds``, from one end, and
    whether there may be more such buckets: one command. ``below``, ``above``: as in ``bucket``."""
    lowest, highest = id_range
    found = list(
        notification_history().find(
            {
                "owner": recipient,
                "seq": {"$lt": below_seq, "$gte": min_seq},
                "items": {"$elemMatch": {"id": {"$gt": lowest, "$lt": highest}}},
            },
            sort=[("seq", ASCENDING if is_ascending else DESCENDING)],
            limit=max_buckets,
        )
    )
    return [row_from_document(one) for bucket in found for one in bucket["items"]], len(
        found
    ) == max_buckets


def find_row(
    *, recipient: int, below_seq: int, min_seq: int, row_id: int
) -> NotificationRow | None:
    """One command."""
    seqs = {"$lt": below_seq, "$gte": min_seq}
    found = notification_history().find_one(
        {"owner": recipient, "seq": seqs, "items.id": row_id}, {"items.$": 1}
    )
    return None if found is None else row_from_document(found["items"][0])


def remove_rows(*, recipient: int, ids: Collection[int]) -> None:
    notification_history().update_many(
        {"owner": recipient, "items.id": {"$in": list(ids)}},
        {"$pull": {"items": {"id": {"$in": list(ids)}}}},
    )


def withdraw(*, recipient: int, key: str) -> None:
    notification_history().update_many({"owner": recipient}, {"$pull": {"items": {"key": key}}})


def withdraw_actor(*, recipient: int, actor: int) -> None:
    notification_history().update_many({"owner": recipient}, {"$pull": {"items": {"actor": actor}}})


def erase_user(*, uid: int) -> None:
    notification_history().delete_many({"owner": uid})
    notification_history().update_many({"items.actor": uid}, {"$pull": {"items": {"actor": uid}}})


def withdraw_post(*, post_id: int, comment_id: int | None = None) -> None:
    gone = {"post": post_id} if comment_id is None else {"post": post_id, "comment": comment_id}
    notification_history().update_many({"items.post": post_id}, {"$pull": {"items": gone}})


def delete_below(*, recipient: int, seq: int) -> None:
    notification_history().delete_many({"owner": recipient, "seq": {"$lt": seq}})
