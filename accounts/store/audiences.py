"""Whom a post of an author goes to: continuation documents, however famous the author is.

    audience_buckets {author, seq, uids: [<= 1000], n}

Unique on (author, seq). A bucket is the unit of fan-out: one job, one command; many workers can each begin
anywhere.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pymongo import ASCENDING

from accounts.infra.store import continuation

from .collections import audience_buckets, session

BUCKET_CAPACITY = 1000
READ_BATCH_SIZE = 20


@dataclass(frozen=True, slots=True)
class AudienceBucket:
    seq: int
    uids: list[int]


@dataclass(frozen=True, slots=True)
class AudienceSize:
    """``buckets``: how many have somebody in them; ``end``: the number after the last one's."""

    follower_count: int
    bucket_count: int
    end_seq: int

    def is_within(self, *, max_followers: int) -> bool:
        """At most so many people, in about as many buckets as they need: unfollowing leaves holes,
        and each bucket is a command."""
        return (
            self.follower_count <= max_followers
            and self.bucket_count <= 1 + max_followers // BUCKET_CAPACITY
        )


def create_indexes() -> None:
    continuation.create_indexes(collection=audience_buckets(), owner_fields=("author",))


def add_follower(*, author: int, follower: int) -> int:
    """Put the follower into the author's newest bucket with room, or a new one; returns its seq.

    Only inside the transaction that inserts the edge.
    """
    seq, _ = continuation.append_element(
        collection=audience_buckets(),
        owner={"author": author},
        array_field="uids",
        element=follower,
        capacity=BUCKET_CAPACITY,
        session=session(),
    )
    return seq


def remove_follower(*, author: int, follower: int, seq: int) -> None:
    """Take the follower out of the one bucket that the edge names."""
    audience_buckets().update_one(
        {"author": author, "seq": seq, "uids": follower},
        {"$pull": {"uids": follower}, "$inc": {"n": -1}},
        session=session(),
    )


def delete_audience(*, author: int) -> None:
    audience_buckets().delete_many({"author": author})


def buckets(*, author: int, start_seq: int, end_seq: int | None) -> Iterator[AudienceBucket]:
    """The buckets with anybody in them, from number ``begin`` to before ``end`` (None: to the last):
    one command for ``READ_AT_ONCE`` of them."""
    numbers = {"$gte": start_seq} if end_seq is None else {"$gte": start_seq, "$lt": end_seq}
    found = audience_buckets().find(
        {"author": author, "seq": numbers, "n": {"$gt": 0}},
        {"seq": 1, "uids": 1},
        sort=[("seq", ASCENDING)],
        batch_size=READ_BATCH_SIZE,
    )
    with found:
        for one in found:
            yield AudienceBucket(seq=one["seq"], uids=one["uids"])


def audience_size(*, author: int) -> AudienceSize:
    """How many follow this author, and in how many buckets: one command on the index alone."""
    counted = audience_buckets().aggregate(
        [
            {"$match": {"author": author}},
            {"$project": {"_id": 0, "n": 1, "seq": 1}},
            {
                "$group": {
                    "_id": None,
                    "people": {"$sum": "$n"},
                    "buckets": {"$sum": {"$cond": [{"$gt": ["$n", 0]}, 1, 0]}},
                    "last": {"$max": "$seq"},
                }
            },
        ]
    )
    for one in counted:
        return AudienceSize(one["people"], one["buckets"], end_seq=one["last"] + 1)
    return AudienceSize(follower_count=0, bucket_count=0, end_seq=0)


def follower_counts(*, authors: Collection[int]) -> dict[int, int]:
    """How many follow each of these who are followed at all: one command on the index alone."""
    counted = audience_buckets().aggregate(
        [
            {"$match": {"author": {"$in": list(authors)}}},
            {"$project": {"_id": 0, "author": 1, "n": 1, "seq": 1}},
            {"$group": {"_id": "$author", "people": {"$sum": "$n"}}},
        ],
        batchSize=len(authors) + 1,
    )
    return {one["_id"]: one["people"] for one in counted}
