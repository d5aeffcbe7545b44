"""Whom a post of an author goes to: continuation documents, however famous the author is.

    audience_buckets {author, seq, uids: [<= 1000], n}

Unique on (author, seq). A bucket is the unit of fan-out: one job, one command; many workers can each begin
anywhere.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pymongo import ASCENDING

from accounts import continuation

from .collections import audience_buckets, session

CAPACITY = 1000
READ_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class AudienceBucket:
    seq: int
    uids: list[int]


@dataclass(frozen=True, slots=True)
class AudienceSize:
    """``buckets``: how many have somebody in them; ``end``: the number after the last one's."""

    people: int
    buckets: int
    end: int

    def is_within(self, *, people: int) -> bool:
        """At most so many people, in about as many buckets as they need: unfollowing leaves holes,
        and each bucket is a command."""
        return self.people <= people and self.buckets <= 1 + people // CAPACITY


def prepare() -> None:
    continuation.prepare(collection=audience_buckets(), whose=("author",))


def add(*, author: int, follower: int) -> int:
    """Put the follower into the author's newest bucket with room, or a new one; returns its seq.

    Only inside the transaction that inserts the edge.
    """
    seq, _ = continuation.append(
        collection=audience_buckets(),
        whose={"author": author},
        items="uids",
        item=follower,
        capacity=CAPACITY,
        session=session(),
    )
    return seq


def remove(*, author: int, follower: int, seq: int) -> None:
    """Take the follower out of the one bucket that the edge names."""
    audience_buckets().update_one(
        {"author": author, "seq": seq, "uids": follower},
        {"$pull": {"uids": follower}, "$inc": {"n": -1}},
        session=session(),
    )


def delete_all_of(*, author: int) -> None:
    audience_buckets().delete_many({"author": author})


def buckets(*, author: int, begin: int, end: int | None) -> Iterator[AudienceBucket]:
    """The buckets with anybody in them, from number ``begin`` to before ``end`` (None: to the last):
    one command for ``READ_AT_ONCE`` of them."""
    numbers = {"$gte": begin} if end is None else {"$gte": begin, "$lt": end}
    found = audience_buckets().find(
        {"author": author, "seq": numbers, "n": {"$gt": 0}},
        {"seq": 1, "uids": 1},
        sort=[("seq", ASCENDING)],
        batch_size=READ_AT_ONCE,
    )
    with found:
        for one in found:
            yield AudienceBucket(seq=one["seq"], uids=one["uids"])


def size(*, author: int) -> AudienceSize:
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
        return AudienceSize(one["people"], one["buckets"], end=one["last"] + 1)
    return AudienceSize(people=0, buckets=0, end=0)


def sizes(*, authors: Collection[int]) -> dict[int, int]:
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
