"""Delivery state, stored in the post itself (``feed.models.Post``).

    delivery_parts  [{next, end, reached}]

A part is a range of the author's audience buckets. The buckets before ``next`` are delivered, to
``reached`` followers, and the part is done when ``next`` equals ``end``. A compare-and-set on ``next``
records each bucket, so the numbers are exact however often and by however many workers it is delivered.
``delivery_due_at`` is when the sweeper checks the post again, if it is still pending.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from django.conf import settings
from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document
from feed.store.collections import posts

OPEN_END = 2**31 - 1
"""End of the last part, which has no fixed end: a user who follows during publication may be in a bucket
that did not exist when the parts were created."""

ERROR_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Part:
    """A range of audience buckets: ``next_bucket`` is delivered next, ``end_bucket`` is after the last."""

    number: int
    next_bucket: int
    end_bucket: int
    reached: int

    @property
    def is_done(self) -> bool:
        return self.next_bucket >= self.end_bucket


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
    due_at: datetime

    @property
    def unfinished_parts(self) -> list[Part]:
        return [part for part in self.parts if not part.is_done]

    @property
    def reached(self) -> int:
        return sum(part.reached for part in self.parts)


def initial_parts(*, bucket_count: int) -> list[Document]:
    """Split the audience buckets into at most ``FEED_DELIVERY_PARTS`` ranges of similar size."""
    count = max(1, min(bucket_count, settings.FEED_DELIVERY_PARTS))
    bounds = [bucket_count * number // count for number in range(count)] + [OPEN_END]
    return [{"next": first, "end": last, "reached": 0} for first, last in pairwise(bounds)]


def get_delivery(*, post: int) -> Delivery | None:
    """Return the delivery of a post in any state; None if the post does not exist."""
    document = posts().find_one({"_id": post}, _FIELDS)
    return None if document is None else _parse_delivery(document)


def get_pending(*, post: int) -> Delivery | None:
    """Return the delivery of a post; None unless it is pending."""
    document = posts().find_one({"_id": post, "delivery_state": "pending"}, _FIELDS)
    return None if document is None else _parse_delivery(document)


def set_parts(*, post: int, bucket_count: int, audience_size: int) -> None:
    """Split the delivery of a pending post into parts, if it has none."""
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

    Return False if another worker has recorded it; that worker then continues with this part.
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


def finish_if_complete(*, post: int, at: datetime) -> bool:
    """Mark the post as delivered if all its parts are.

    Return False if a part is unfinished or another worker has marked it.
    """
    all_done = {
        "$allElementsTrue": {
            "$map": {"input": "$delivery_parts", "in": {"$eq": ["$$this.next", "$$this.end"]}}
        }
    }
    result = posts().update_one(
        {"_id": post, "delivery_state": "pending", "$expr": all_done}, _done_update(at)
    )
    return bool(result.modified_count)


def finish(*, post: int, at: datetime) -> None:
    """Mark the post as delivered, whatever its parts say."""
    posts().update_one({"_id": post, "delivery_state": "pending"}, _done_update(at))


def claim(*, post: int, due_at: datetime, now: datetime | None = None) -> Delivery | None:
    """Claim a pending delivery, so that no sweep picks it up before ``due_at``.

    Return None if it is not pending, or not yet due at ``now``.
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
) -> bool:
    """Record that this attempt failed and the next is due at ``due_at``, unless this one was final.

    Parts of one attempt that fail separately count once: return False if the attempt is already counted.
    """
    state = "failed" if is_final else "pending"
    result = posts().update_one(
        {"_id": post, "delivery_state": "pending", "delivery_attempts": attempt},
        {
            "$set": {"delivery_state": state, "delivery_error": error[:ERROR_LENGTH]},
            "$inc": {"delivery_attempts": 1},
            "$max": {"delivery_due_at": due_at},
        },
    )
    return bool(result.modified_count)


def reset_failed(*, ids: list[int], at: datetime) -> int:
    """Resume failed deliveries from where they stopped. Return how many."""
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
    """Return the pending posts that are due, the longest waiting first."""
    query = {"delivery_state": "pending", "delivery_due_at": {"$lte": now}}
    documents = posts().find(query, {"_id": 1}).sort("delivery_due_at", ASCENDING).limit(limit)
    return [document["_id"] for document in documents]


def pending_ids(*, limit: int) -> list[int]:
    """Return pending posts, the latest due first."""
    documents = posts().find({"delivery_state": "pending"}, {"_id": 1})
    return [
        document["_id"] for document in documents.sort("delivery_due_at", DESCENDING).limit(limit)
    ]


def failed_ids(*, limit: int) -> list[int]:
    """Return the posts whose delivery has failed for good, newest first."""
    documents = posts().find({"delivery_state": "failed"}, {"_id": 1})
    return [document["_id"] for document in documents.sort("_id", DESCENDING).limit(limit)]


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
        "delivery_due_at",
    ),
    1,
)


def _parse_delivery(document: Document) -> Delivery:
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
        due_at=document["delivery_due_at"].replace(tzinfo=UTC),
    )
