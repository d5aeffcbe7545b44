"""The followers to whom an author's posts are delivered, in documents of limited size.

    audience_buckets {author, seq, uids: [<= 1000], n}

Unique on (author, seq). ``seq`` numbers the buckets of an author from 0. ``n`` is the number of uids.

A bucket is the unit of fan-out: one job reads one bucket with one command, and several workers can start at
different buckets.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pymongo import ASCENDING

from accounts.infra.store import continuation
from accounts.infra.store.connection import Document, session
from accounts.infra.store.unions import Query, UnionResult, read_union

from . import collections

BUCKET_CAPACITY = 1000
READ_BATCH_SIZE = 20


@dataclass(frozen=True, slots=True)
class AudienceBucket:
    seq: int
    uids: list[int]


@dataclass(frozen=True, slots=True)
class AudienceSize:
    """The size of an audience.

    Attributes:
        bucket_count: number of non-empty buckets.
        end_seq: the seq after the last bucket.
    """

    follower_count: int
    bucket_count: int
    end_seq: int

    def is_within(self, *, max_followers: int) -> bool:
        """Return whether the audience is small in both followers and buckets.

        Unfollows leave room in buckets, so few followers may be spread over many buckets, and each bucket
        costs a command.
        """
        return (
            self.follower_count <= max_followers
            and self.bucket_count <= 1 + max_followers // BUCKET_CAPACITY
        )


def create_indexes() -> None:
    continuation.create_indexes(collection=collections.audience_buckets(), owner_fields=("author",))


def add_follower(*, author: int, follower: int) -> int:
    """Add a follower to the author's newest bucket with room, or to a new bucket. Return the bucket's seq.

    Call this only in the transaction that inserts the edge.
    """
    seq, _ = continuation.append_element(
        collection=collections.audience_buckets(),
        owner={"author": author},
        array_field="uids",
        element=follower,
        capacity=BUCKET_CAPACITY,
        session=session(),
    )
    return seq


def remove_follower(*, author: int, follower: int, seq: int) -> None:
    """Remove a follower from the bucket with this seq. The edge stores the seq."""
    collections.audience_buckets().update_one(
        {"author": author, "seq": seq, "uids": follower},
        {"$pull": {"uids": follower}, "$inc": {"n": -1}},
        session=session(),
    )


def delete_audience(*, author: int) -> None:
    collections.audience_buckets().delete_many({"author": author})


def audience_buckets(
    *, author: int, start_seq: int = 0, end_seq: int | None = None
) -> Iterator[AudienceBucket]:
    """Yield the non-empty buckets from ``start_seq`` to below ``end_seq``. None means no upper limit.

    Each command reads ``READ_BATCH_SIZE`` buckets.
    """
    seq_range = {"$gte": start_seq} if end_seq is None else {"$gte": start_seq, "$lt": end_seq}
    cursor = collections.audience_buckets().find(
        {"author": author, "seq": seq_range, "n": {"$gt": 0}},
        {"seq": 1, "uids": 1},
        sort=[("seq", ASCENDING)],
        batch_size=READ_BATCH_SIZE,
    )
    with cursor:
        for row in cursor:
            yield AudienceBucket(seq=row["seq"], uids=row["uids"])


def audience_size(*, author: int) -> AudienceSize:
    """Return the size of an author's audience. One command, which reads only the index."""
    rows = collections.audience_buckets().aggregate(
        [
            {"$match": {"author": author}},
            {"$project": {"_id": 0, "n": 1, "seq": 1}},
            {
                "$group": {
                    "_id": None,
                    "followers": {"$sum": "$n"},
                    "buckets": {"$sum": {"$cond": [{"$gt": ["$n", 0]}, 1, 0]}},
                    "last_seq": {"$max": "$seq"},
                }
            },
        ]
    )
    for row in rows:
        return AudienceSize(row["followers"], row["buckets"], end_seq=row["last_seq"] + 1)
    return AudienceSize(follower_count=0, bucket_count=0, end_seq=0)


def follower_counts(*, authors: Collection[int]) -> dict[int, int]:
    """Return the number of followers by author. One command, which reads only the index.

    The result has no entry for authors who never had a follower.
    """
    queries = follower_count_queries(authors=authors)
    return follower_counts_in(union=read_union(queries=queries))


def follower_count_queries(*, authors: Collection[int]) -> list[Query]:
    """Return the query of ``follower_counts``, to read it with others in one command."""
    pipeline: list[Document] = [
        {"$match": {"author": {"$in": list(authors)}}},
        {"$project": {"_id": 0, "author": 1, "n": 1, "seq": 1}},
        {"$group": {"_id": "$author", "followers": {"$sum": "$n"}}},
    ]
    return [(collections.audience_buckets().name, pipeline)] if authors else []


def follower_counts_in(*, union: UnionResult) -> dict[int, int]:
    """Return the numbers of followers in a result that includes that of ``follower_count_queries``."""
    return {row["_id"]: row["followers"] for row in union.having("followers")}
