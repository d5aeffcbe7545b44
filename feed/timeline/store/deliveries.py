"""Where each post's delivery stands, in the post itself; see ``models.Post``.

    delivery_parts  [{next, end, reached}]

A part is a range of the author's audience buckets: those from its beginning up to ``next`` are
delivered, to ``reached`` people, and it is done when ``next`` is ``end``. Each bucket is noted by one
compare-and-set on ``next``, so the figures are exact however often and by however many it is delivered.
``delivery_at`` is when somebody is to look at the post again, if it is pending then.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from django.conf import settings
from pymongo import ASCENDING, DESCENDING

from feed.store.collections import Document, posts

OPEN_END = 2**31 - 1
"""The last part ends where the audience does: who follows while a post is published may be in a bucket
that was not there when the parts were made."""

ERROR_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Part:
    """``next``: the first bucket still to be delivered; ``end``: the one after the last."""

    number: int
    next_bucket: int
    end_bucket: int
    reached: int

    @property
    def is_done(self) -> bool:
        return self.next_bucket >= self.end_bucket


@dataclass(frozen=True, slots=True)
class Delivery:
    """``parts`` is empty for a small audience, which is delivered as a whole."""

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
    """The audience buckets below ``end`` in at most ``FEED_DELIVERY_PARTS`` ranges of about one size."""
    count = max(1, min(bucket_count, settings.FEED_DELIVERY_PARTS))
    cuts = [bucket_count * number // count for number in range(count)] + [OPEN_END]
    return [{"next": first, "end": last, "reached": 0} for first, last in pairwise(cuts)]


def get_delivery(*, post: int) -> Delivery | None:
    """Also of posts that are delivered; None if the post is gone."""
    found = posts().find_one({"_id": post}, _FIELDS)
    return None if found is None else _delivery(found)


def get_pending(*, post: int) -> Delivery | None:
    """None unless the post is still to be delivered."""
    found = posts().find_one({"_id": post, "delivery_state": "pending"}, _FIELDS)
    return None if found is None else _delivery(found)


def set_parts(*, post: int, bucket_count: int, audience_size: int) -> None:
    """Give a pending post its parts, if it has none."""
    posts().update_one(
        {"_id": post, "delivery_state": "pending", "delivery_parts": []},
        {
            "$set": {
                "delivery_parts": initial_parts(bucket_count=bucket_count),
                "delivery_people": audience_size,
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
    """The buckets of this part from ``begin`` to before ``next`` are delivered, to so many people.

    Once only: False if somebody else has noted it, who then goes on with this part.
    """
    field = f"delivery_parts.{part_number}"
    noted = posts().update_one(
        {"_id": post, "delivery_state": "pending", f"{field}.next": from_bucket},
        {
            "$set": {f"{field}.next": next_bucket},
            "$inc": {f"{field}.reached": people},
            "$max": {"delivery_at": due_at},
        },
    )
    return bool(noted.matched_count)


def finish_if_complete(*, post: int, at: datetime) -> bool:
    """The post is done if all its parts are; False if any is not, or somebody else has noted it."""
    all_done = {
        "$allElementsTrue": {
            "$map": {"input": "$delivery_parts", "in": {"$eq": ["$$this.next", "$$this.end"]}}
        }
    }
    done = posts().update_one(
        {"_id": post, "delivery_state": "pending", "$expr": all_done}, _done(at)
    )
    return bool(done.modified_count)


def finish(*, post: int, at: datetime) -> None:
    """All of it is delivered, whatever the parts say."""
    posts().update_one({"_id": post, "delivery_state": "pending"}, _done(at))


def claim(*, post: int, due_at: datetime, now: datetime | None = None) -> Delivery | None:
    """Somebody is about to go on with this post, and nobody else is to look at it before ``until``.

    None if there is nothing to do: it is not pending, or by ``due`` not yet to be looked at.
    """
    query: Document = {"_id": post, "delivery_state": "pending"}
    if now is not None:
        query["delivery_at"] = {"$lte": now}
    found = posts().find_one_and_update(
        query, {"$set": {"delivery_at": due_at}}, _FIELDS, return_document=True
    )
    return None if found is None else _delivery(found)


def record_failure(
    *, post: int, attempt: int, error: str, due_at: datetime, is_final: bool
) -> bool:
    """The attempt with this number ended with an error; another is due at a moment, unless one gives up.

    Parts of one attempt that fail each for itself count once: False if it has been counted.
    """
    state = "failed" if is_final else "pending"
    counted = posts().update_one(
        {"_id": post, "delivery_state": "pending", "delivery_attempts": attempt},
        {
            "$set": {"delivery_state": state, "delivery_error": error[:ERROR_LENGTH]},
            "$inc": {"delivery_attempts": 1},
            "$max": {"delivery_at": due_at},
        },
    )
    return bool(counted.modified_count)


def reset_failed(*, ids: list[int], at: datetime) -> int:
    """Begin anew with deliveries that were given up, from where they stopped; returns how many."""
    begun = posts().update_many(
        {"_id": {"$in": ids}, "delivery_state": "failed"},
        {
            "$set": {
                "delivery_state": "pending",
                "delivery_attempts": 0,
                "delivery_error": "",
                "delivery_at": at,
            }
        },
    )
    return begun.modified_count


def due_ids(*, now: datetime, limit: int) -> list[int]:
    """Pending posts that somebody is to look at, the longest waiting first."""
    query = {"delivery_state": "pending", "delivery_at": {"$lte": now}}
    found = posts().find(query, {"_id": 1}).sort("delivery_at", ASCENDING).limit(limit)
    return [one["_id"] for one in found]


def pending_ids(*, limit: int) -> list[int]:
    """Pending posts, those that somebody looks at last first."""
    found = posts().find({"delivery_state": "pending"}, {"_id": 1})
    return [one["_id"] for one in found.sort("delivery_at", DESCENDING).limit(limit)]


def failed_ids(*, limit: int) -> list[int]:
    """Posts whose delivery failed too often, the newest first."""
    found = posts().find({"delivery_state": "failed"}, {"_id": 1})
    return [one["_id"] for one in found.sort("_id", DESCENDING).limit(limit)]


def _done(at: datetime) -> Document:
    return {"$set": {"delivery_state": "done", "delivery_error": "", "delivery_at": at}}


_FIELDS = dict.fromkeys(
    (
        "author_id",
        "visibility",
        "recipients",
        "is_pushed",
        "delivery_state",
        "delivery_people",
        "delivery_parts",
        "delivery_attempts",
        "delivery_at",
    ),
    1,
)


def _delivery(document: Document) -> Delivery:
    return Delivery(
        post=document["_id"],
        author=document["author_id"],
        visibility=document["visibility"],
        recipients=document["recipients"],
        is_pushed=document["is_pushed"],
        state=document["delivery_state"],
        audience_size=document["delivery_people"],
        parts=[
            Part(number, one["next"], one["end"], one["reached"])
            for number, one in enumerate(document["delivery_parts"])
        ],
        attempts=document["delivery_attempts"],
        due_at=document["delivery_at"].replace(tzinfo=UTC),
    )
