"""Delivery state, stored in the post itself (``feed.models.Post``).

    delivery_parts  [{next, end, reached}]

A part is a range of the author's audience buckets. The buckets before ``next`` are delivered, and
``reached`` is the number of their followers. The part is done when ``next`` equals ``end``. Each bucket is
recorded with a compare-and-set on ``next``, so ``reached`` is exact even if several workers deliver the
same bucket. At ``delivery_due_at``, the sweeper checks the post again if it is still pending.
"""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document
from accounts.infra.store.missing_fields import add_missing_fields
from feed.models import Post
from feed.store.collections import posts

MAX_PARTS = 16
"""Maximum number of parallel tasks that deliver a post to a large audience."""


OPEN_END = 2**31 - 1
"""The ``end`` of the last part. It is open, because users who follow during the delivery may be in a bucket
that did not exist when the parts were created."""

ERROR_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Part:
    """A range of audience buckets.

    Attributes:
        next_bucket: the first bucket that is not delivered yet.
        end_bucket: the number after the last bucket.
        reached: the number of followers in the delivered buckets.
    """

    number: int
    next_bucket: int
    end_bucket: int
    reached: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """The delivery state of a post. Small audiences are delivered as a whole and have no ``parts``."""

    post: int
    author: int
    visibility: str
    recipients: list[int]
    is_pushed: bool
    state: str
    audience_size: int
    parts: list[Part]
    attempts: int

    @property
    def unfinished_parts(self) -> list[Part]:
        return [part for part in self.parts if part.next_bucket < part.end_bucket]

    @property
    def reached(self) -> int:
        return sum(part.reached for part in self.parts)


def initial_parts(*, bucket_count: int) -> list[Document]:
    """Split the audience buckets into at most ``MAX_PARTS`` ranges of similar size."""
    count = max(1, min(bucket_count, MAX_PARTS))
    bounds = [bucket_count * number // count for number in range(count)] + [OPEN_END]
    return [{"next": first, "end": last, "reached": 0} for first, last in pairwise(bounds)]


def get_delivery(*, post: int) -> Delivery | None:
    """Return the delivery of a post in any state, or None if the post does not exist."""
    document = posts().find_one({"_id": post}, _FIELDS)
    return None if document is None else _parse_delivery(document)


def get_pending(*, post: int) -> Delivery | None:
    """Return the delivery of a post if it is pending, otherwise None."""
    document = posts().find_one({"_id": post, "delivery_state": "pending"}, _FIELDS)
    return None if document is None else _parse_delivery(document)


def set_parts(*, post: int, bucket_count: int, audience_size: int) -> None:
    """Split the delivery of a post into parts, if it is pending and has no parts."""
    posts().update_one(
        {"_id": post, "delivery_state": "pending", "delivery_parts": []},
        {
            "$set": {
                "delivery_parts": initial_parts(bucket_count=bucket_count),
                "delivery_audience_size": audience_size,
            }
        },
    )


def record_progress(
    *,
    post: int,
    part_number: int,
    from_bucket: int,
    next_bucket: int,
    people: int,
    due_at: datetime,
) -> bool:
    """Record that the buckets from ``from_bucket`` to before ``next_bucket`` are delivered.

    ``people`` is the number of followers in these buckets. Return False if another worker has recorded the
    buckets. In this case the caller stops, and the other worker continues with the part.
    """
    field = f"delivery_parts.{part_number}"
    result = posts().update_one(
        {"_id": post, "delivery_state": "pending", f"{field}.next": from_bucket},
        {
            "$set": {f"{field}.next": next_bucket},
            "$inc": {f"{field}.reached": people},
            "$max": {"delivery_due_at": due_at},
        },
    )
    return bool(result.matched_count)


def finish_if_complete(*, post: int, at: datetime) -> None:
    """Mark the post as delivered if all its parts are done."""
    all_done = {
        "$allElementsTrue": {
            "$map": {"input": "$delivery_parts", "in": {"$eq": ["$$this.next", "$$this.end"]}}
        }
    }
    posts().update_one(
        {"_id": post, "delivery_state": "pending", "$expr": all_done}, _done_update(at)
    )


def finish(*, post: int, at: datetime) -> None:
    """Mark the post as delivered without looking at its parts."""
    posts().update_one({"_id": post, "delivery_state": "pending"}, _done_update(at))


def claim(*, post: int, due_at: datetime, now: datetime | None = None) -> Delivery | None:
    """Claim a pending delivery, so that no sweep picks it up before ``due_at``.

    Return None if the delivery is not pending. If ``now`` is given, also return None if the delivery is not
    due at this time.
    """
    query: Document = {"_id": post, "delivery_state": "pending"}
    if now is not None:
        query["delivery_due_at"] = {"$lte": now}
    document = posts().find_one_and_update(
        query, {"$set": {"delivery_due_at": due_at}}, _FIELDS, return_document=True
    )
    return None if document is None else _parse_delivery(document)


def record_failure(
    *, post: int, attempt: int, error: str, due_at: datetime, is_final: bool
) -> None:
    """Record that an attempt failed. The next attempt is due at ``due_at``, unless ``is_final``.

    ``attempt`` is the number of earlier failed attempts. If two parts of one attempt fail, only the first
    failure is recorded.
    """
    state = "failed" if is_final else "pending"
    posts().update_one(
        {"_id": post, "delivery_state": "pending", "delivery_attempts": attempt},
        {
            "$set": {"delivery_state": state, "delivery_error": error[:ERROR_LENGTH]},
            "$inc": {"delivery_attempts": 1},
            "$max": {"delivery_due_at": due_at},
        },
    )


def reset_failed(*, ids: list[int], at: datetime) -> int:
    """Make failed deliveries pending again, with their progress. Return the number of deliveries."""
    result = posts().update_many(
        {"_id": {"$in": ids}, "delivery_state": "failed"},
        {
            "$set": {
                "delivery_state": "pending",
                "delivery_attempts": 0,
                "delivery_error": "",
                "delivery_due_at": at,
            }
        },
    )
    return result.modified_count


def due_ids(*, now: datetime, limit: int) -> list[int]:
    """Return the ids of pending posts that are due, the longest due first."""
    query = {"delivery_state": "pending", "delivery_due_at": {"$lte": now}}
    return _ids(query, ("delivery_due_at", ASCENDING), limit)


def count_unfinished(*, limit: int) -> tuple[int, int, int]:
    """Return the number of pending and of failed deliveries, and the id of the oldest pending post or 0.

    Counts at most ``limit`` deliveries of each state. Two commands.
    """
    pending, failed = {"delivery_state": "pending"}, {"delivery_state": "failed"}
    group = {"_id": None, "n": {"$sum": 1}, "oldest": {"$min": "$_id"}}
    rows = list(posts().aggregate([{"$match": pending}, {"$limit": limit}, {"$group": group}]))
    count, oldest = (rows[0]["n"], rows[0]["oldest"]) if rows else (0, 0)
    return count, posts().count_documents(failed, limit=limit), oldest


def pending_ids(*, limit: int) -> list[int]:
    """Return the ids of pending posts, the latest due first."""
    return _ids({"delivery_state": "pending"}, ("delivery_due_at", DESCENDING), limit)


def failed_ids(*, limit: int) -> list[int]:
    """Return the ids of posts whose delivery has failed permanently, newest first."""
    return _ids({"delivery_state": "failed"}, ("_id", DESCENDING), limit)


def _ids(query: Document, order: tuple[str, int], limit: int) -> list[int]:
    documents = posts().find(query, {"_id": 1}).sort(*order).limit(limit)
    return [document["_id"] for document in documents]


def _done_update(at: datetime) -> Document:
    return {"$set": {"delivery_state": "done", "delivery_error": "", "delivery_due_at": at}}


_FIELDS = dict.fromkeys(
    (
        "author_id",
        "visibility",
        "recipients",
        "is_pushed",
        "delivery_state",
        "delivery_audience_size",
        "delivery_parts",
        "delivery_attempts",
    ),
    1,
)


def _parse_delivery(document: Document) -> Delivery:
    add_missing_fields(document=document, model=Post, stored_names=_FIELDS)
    return Delivery(
        post=document["_id"],
        author=document["author_id"],
        visibility=document["visibility"],
        recipients=document["recipients"],
        is_pushed=document["is_pushed"],
        state=document["delivery_state"],
        audience_size=document["delivery_audience_size"],
        parts=[
            Part(number, part["next"], part["end"], part["reached"])
            for number, part in enumerate(document["delivery_parts"])
        ],
        attempts=document["delivery_attempts"],
    )
