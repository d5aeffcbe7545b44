"""Durable notifications that no longer fit into a box, in buckets that go on for ever.

    notification_history {owner, seq, items: [50, the oldest first]}            unique (owner, seq)

Sealed as an inbox is (``feed.store.sealing``): the bucket is written first, then the box lets go of its
items and counts on. Readers take buckets below the ``seq`` of the box, so what a crash leaves is not seen.
A bucket is written once and never over: who finds one goes on with what is in it, so that two who seal at
once, or one long after the other, mean the same items. What the box has lost meanwhile leaves the bucket.
"""

from collections.abc import Collection, Sequence

from pymongo import ASCENDING, DESCENDING, ReturnDocument

from . import boxes
from .collections import Document, notification_history
from .expressions import BUCKET
from .items import Item, item_of

ATTEMPTS = 10


def prepare() -> None:
    notification_history().create_index([("owner", ASCENDING), ("seq", ASCENDING)], unique=True)
    notification_history().create_index([("items.post", ASCENDING)])


def seal(*, readers: Sequence[int]) -> None:
    """Bring kept items into the history, as many as fill a bucket. Safe to repeat, and to be killed."""
    for reader in readers:
        for _ in range(ATTEMPTS):
            seq, kept = boxes.kept(reader=reader)
            if len(kept) < BUCKET:
                break
            one = {"owner": reader, "seq": seq}
            ids = [item["id"] for item in _written(one, kept[:BUCKET])]
            if gone := boxes.sealed(reader=reader, seq=seq, ids=ids):
                notification_history().update_one(one, {"$pull": {"items": {"id": {"$in": gone}}}})


def _written(one: Document, items: list[Document]) -> list[Document]:
    """What is in this bucket, if need be from now on."""
    found = notification_history().find_one_and_update(
        one, {"$setOnInsert": {"items": items}}, upsert=True, return_document=ReturnDocument.AFTER
    )
    assert found is not None  # noqa: S101 - narrows the type: it was made if there was none
    written: list[Document] = found["items"]
    return written


def bucket(*, reader: int, below: int, above: int) -> tuple[int, list[Item]] | None:
    """The newest bucket with a number below one and not below another: its number and its items, the newest
    first."""
    found = notification_history().find_one(
        {"owner": reader, "seq": {"$lt": below, "$gte": above}}, sort=[("seq", DESCENDING)]
    )
    if found is None:
        return None
    return found["seq"], [item_of(one) for one in reversed(found["items"])]


def between(
    *, reader: int, below: int, above: int, bounds: tuple[int, int], most: int, upwards: bool
) -> tuple[list[Item], bool]:
    """Items of at most so many buckets that have some with ids between the ``bounds``, from one end, and
    whether there may be more such buckets: one command. ``below``, ``above``: as in ``bucket``."""
    lowest, highest = bounds
    found = list(
        notification_history().find(
            {
                "owner": reader,
                "seq": {"$lt": below, "$gte": above},
                "items": {"$elemMatch": {"id": {"$gt": lowest, "$lt": highest}}},
            },
            sort=[("seq", ASCENDING if upwards else DESCENDING)],
            limit=most,
        )
    )
    return [item_of(one) for bucket in found for one in bucket["items"]], len(found) == most


def item(*, reader: int, below: int, above: int, id: int) -> Item | None:
    """One command."""
    seqs = {"$lt": below, "$gte": above}
    found = notification_history().find_one(
        {"owner": reader, "seq": seqs, "items.id": id}, {"items.$": 1}
    )
    return None if found is None else item_of(found["items"][0])


def remove(*, reader: int, ids: Collection[int]) -> None:
    notification_history().update_many(
        {"owner": reader, "items.id": {"$in": list(ids)}},
        {"$pull": {"items": {"id": {"$in": list(ids)}}}},
    )


def withdraw(*, reader: int, key: str) -> None:
    notification_history().update_many({"owner": reader}, {"$pull": {"items": {"key": key}}})


def withdraw_person(*, reader: int, actor: int) -> None:
    notification_history().update_many({"owner": reader}, {"$pull": {"items": {"actor": actor}}})


def erase_person(*, uid: int) -> None:
    notification_history().delete_many({"owner": uid})
    notification_history().update_many({"items.actor": uid}, {"$pull": {"items": {"actor": uid}}})


def withdraw_post(*, post: int, comment: int | None = None) -> None:
    gone = {"post": post} if comment is None else {"post": post, "comment": comment}
    notification_history().update_many({"items.post": post}, {"$pull": {"items": gone}})


def delete_below(*, reader: int, seq: int) -> None:
    notification_history().delete_many({"owner": reader, "seq": {"$lt": seq}})
