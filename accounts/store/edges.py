"""Who follows whom.

    follow_edges {_id: edge id, follower, followee, at, bucket, backfill?, notify?, featured?}

Unique on (follower, followee). The edge id contains the time of the follow and is the cursor of the lists.
``bucket`` is the seq of the audience bucket that contains the follower. ``backfill`` is "pending" until the
feed has added the followee's older posts to the follower's timeline. ``notify`` is true if the follower
subscribes: each post of the followee notifies the follower. A partial index contains only these edges, so
finding an author's subscribers does not depend on the number of followers. ``featured`` is the id of the
moment since which the follower features the followee on the profile; its partial index is the list.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING, DESCENDING
from pymongo.errors import DuplicateKeyError

from accounts.infra.cursors import PageBounds
from accounts.infra.store.connection import Document, session
from accounts.infra.store.unions import Query, UnionResult, read_union

from .collections import find_page, follow_edges

SUBSCRIBER_INDEX = [("followee", ASCENDING), ("_id", ASCENDING)]
FEATURED_INDEX = [("follower", ASCENDING), ("featured", DESCENDING)]
IS_FEATURED = {"featured": {"$exists": True}}


class AlreadyFollows(ValueError):
    """An edge from the follower to the followee already exists."""


@dataclass(frozen=True, slots=True)
class Edge:
    id: int
    follower: int
    followee: int
    bucket_seq: int


def create_indexes() -> None:
    edges = follow_edges()
    edges.create_index([("follower", ASCENDING), ("followee", ASCENDING)], unique=True)
    edges.create_index([("follower", ASCENDING), ("_id", DESCENDING)])
    edges.create_index([("followee", ASCENDING), ("_id", DESCENDING)])
    edges.create_index(SUBSCRIBER_INDEX, partialFilterExpression={"notify": True})
    edges.create_index(FEATURED_INDEX, partialFilterExpression=IS_FEATURED)
    has_backfill = {"backfill": {"$exists": True}}
    edges.create_index(
        [("backfill", ASCENDING), ("_id", ASCENDING)], partialFilterExpression=has_backfill
    )
    edges.create_index(
        [("backfill", ASCENDING), ("follower", ASCENDING)], partialFilterExpression=has_backfill
    )


def find_edge(*, follower: int, followee: int) -> Edge | None:
    row = follow_edges().find_one({"follower": follower, "followee": followee}, session=session())
    return None if row is None else edge_from_document(row)


def insert_edge(*, edge: Edge, at: datetime) -> None:
    """Insert an edge. Raises AlreadyFollows, after which the transaction cannot continue."""
    document = new_edge_document(edge.id, edge.follower, edge.followee, edge.bucket_seq, at)
    try:
        follow_edges().insert_one(document, session=session())
    except DuplicateKeyError as error:
        raise AlreadyFollows from error


def delete_edge(*, edge: Edge) -> bool:
    query = {"_id": edge.id, "follower": edge.follower, "followee": edge.followee}
    return bool(follow_edges().delete_one(query, session=session()).deleted_count)


def set_notify(*, follower: int, followee: int, is_on: bool) -> bool:
    """Set or remove ``notify`` of an edge. Return False if there is no edge. Safe to repeat."""
    change = {"$set": {"notify": True}} if is_on else {"$unset": {"notify": 1}}
    pair = {"follower": follower, "followee": followee}
    return bool(follow_edges().update_one(pair, change, session=session()).matched_count)


def subscribers_after(*, followee: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (edge id, follower) of subscribers with edge ids above ``cursor``, oldest follow first."""
    query = {"followee": followee, "notify": True, "_id": {"$gt": cursor}}
    rows = follow_edges().find(query, {"follower": 1}).hint(SUBSCRIBER_INDEX)
    rows.sort("_id", ASCENDING).limit(limit).batch_size(limit + 1)
    return [(row["_id"], row["follower"]) for row in rows]


def subscriber_queries(*, followee: int) -> list[Query]:
    """Return the query for one subscriber, to read it with others in one command (``read_union``).

    Without subscribers, the partial index is empty for this user, so the server chooses it at once.
    """
    pipeline: list[Document] = [
        {"$match": {"followee": followee, "notify": True}},
        {"$limit": 1},
        {"$project": {"_id": 0, "subscriber": "$follower"}},
    ]
    return [("follow_edges", pipeline)]


def followees_lookup(*, follower: int, followees: str, result: str) -> Document:
    """Return the ``$lookup`` stage that sets ``result`` to the edges from a user to other users.

    ``followees`` is the name of a field with an array of their uids.
    """
    lookup = {
        "from": "follow_edges",
        "localField": followees,
        "foreignField": "followee",
        "pipeline": [{"$match": {"follower": follower}}, {"$project": {"_id": 0, "followee": 1}}],
        "as": result,
    }
    return {"$lookup": lookup}


def has_subscriber_in(*, union: UnionResult) -> bool:
    """Return whether a result that includes that of ``subscriber_queries`` has a subscriber."""
    return any(union.having("subscriber"))


def subscribed_followees(*, follower: int) -> set[int]:
    """Return the uids of the users to whom this follower subscribes. Reads all edges of the follower."""
    rows = follow_edges().find({"follower": follower, "notify": True}, {"_id": 0, "followee": 1})
    return {row["followee"] for row in rows.hint([("follower", ASCENDING), ("_id", DESCENDING)])}


def set_featured(*, follower: int, followee: int, featured_id: int | None) -> bool:
    """Feature a followee, or stop if ``featured_id`` is None. Return False if there is no edge.

    A featured followee keeps the earlier id.
    """
    pair = {"follower": follower, "followee": followee}
    if featured_id is None:
        change: Document | list[Document] = {"$unset": {"featured": 1}}
    else:
        change = [{"$set": {"featured": {"$ifNull": ["$featured", featured_id]}}}]
    return bool(follow_edges().update_one(pair, change, session=session()).matched_count)


def featured_followees(*, follower: int) -> list[tuple[int, int]]:
    """Return (featured id, followee) of all featured followees, the newest first. One command."""
    [(_collection, pipeline)] = featured_queries(follower=follower)
    rows = follow_edges().aggregate(pipeline, session=session())
    return featured_in(union=UnionResult(rows))


def featured_queries(*, follower: int) -> list[Query]:
    """Return the query of ``featured_followees``, to read it with others in one command."""
    pipeline: list[Document] = [
        {"$match": {"follower": follower, **IS_FEATURED}},
        {"$project": {"_id": 0, "featured": 1, "featured_uid": "$followee"}},
    ]
    return [("follow_edges", pipeline)]


def featured_in(*, union: UnionResult) -> list[tuple[int, int]]:
    """Return the pairs in a result that includes that of ``featured_queries``, the newest first."""
    pairs = [(row["featured"], row["featured_uid"]) for row in union.having("featured_uid")]
    return sorted(pairs, reverse=True)


def conflict_with_new_edges(*, uid: int, other_uid: int) -> None:
    """Make this transaction conflict with concurrent inserts of an edge between two users.

    An import inserts thousands of edges without ``pair_locks``. Without this conflict, it could miss a
    concurrent block, and the block could miss the new edge. The function inserts the edges of both
    directions and deletes them again, so nobody sees them. But of two concurrent transactions that insert
    the same keys into the unique index, the server refuses one.

    The transaction must have read and deleted existing edges before. Two commands.
    """
    pairs = ((uid, other_uid), (other_uid, uid))
    rows = [{"follower": follower, "followee": followee} for follower, followee in pairs]
    follow_edges().insert_many([dict(row) for row in rows], session=session())
    follow_edges().delete_many({"$or": rows}, session=session())


def begin_snapshot() -> None:
    """Begin the transaction's snapshot of the edges. One command, which reads nothing.

    On a sharded cluster, the snapshot of a shard begins with the first command that reaches the shard.
    """
    follow_edges().find_one({"_id": 0}, {"_id": 1}, session=session())


def delete_edges_to(*, followee: int) -> None:
    """Delete the edges of all followers of this user, but not the user's audience. One command."""
    follow_edges().delete_many({"followee": followee})


def followees_among(*, follower: int, uids: Iterable[int]) -> set[int]:
    """Return which of ``uids`` this user follows. One command, which reads only the index."""
    return {uid for _, uid in follow_pairs(followers=[follower], followees=list(uids))}


def followers_among(*, followee: int, uids: Iterable[int]) -> set[int]:
    """Return which of ``uids`` follow this user. One command, which reads only the index."""
    return {uid for uid, _ in follow_pairs(followers=list(uids), followees=[followee])}


def follow_pairs(*, followers: Sequence[int], followees: Sequence[int]) -> list[tuple[int, int]]:
    """Return (follower, followee) of all edges from one group to the other.

    One command, which reads only the index.
    """
    if not followers or not followees:
        return []
    rows = follow_edges().find(
        {"follower": {"$in": list(followers)}, "followee": {"$in": list(followees)}},
        {"_id": 0, "follower": 1, "followee": 1},
        hint=[("follower", ASCENDING), ("followee", ASCENDING)],
        batch_size=len(followers) * len(followees) + 1,
        session=session(),
    )
    return [(row["follower"], row["followee"]) for row in rows]


def existing_follows(
    *, followers_by_followee: Mapping[int, Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """Yield (follower, followee) of each of these pairs that has an edge.

    One command, which reads only the index. Its cost depends on the number of pairs, not on how many other
    users they follow. ``follow_pairs`` instead examines all edges from any of its followers to any of its
    followees.
    """
    if not followers_by_followee:
        return
    rows = follow_edges().find(
        {
            "$or": [
                {"followee": followee, "follower": {"$in": uids}}
                for followee, uids in followers_by_followee.items()
            ]
        },
        {"_id": 0, "follower": 1, "followee": 1},
        hint=[("follower", ASCENDING), ("followee", ASCENDING)],
        batch_size=sum(map(len, followers_by_followee.values())) + 1,
        session=session(),
    )
    for row in rows:
        yield row["follower"], row["followee"]


def followee_ids(*, follower: int) -> list[int]:
    """Return the uids of all users this user follows, unordered.

    One command, which reads only the index.
    """
    union = read_union(queries=followee_queries(follower=follower))
    return followees_in(union=union)


def followee_queries(*, follower: int) -> list[Query]:
    """Return the query of ``followee_ids``, to read it with others in one command (``read_union``)."""
    grouped = {"_id": None, "followees": {"$push": "$followee"}}
    return [("follow_edges", [{"$match": {"follower": follower}}, {"$group": grouped}])]


def followees_in(*, union: UnionResult) -> list[int]:
    """Return the uids in a result that includes that of ``followee_queries``."""
    return next((row["followees"] for row in union.having("followees")), [])


def newest_followee_queries(*, follower: int, limit: int) -> list[Query]:
    """Return the query for the users whom this user followed last, to read it with others."""
    pipeline: list[Document] = [
        {"$match": {"follower": follower}},
        {"$sort": {"_id": DESCENDING}},
        {"$limit": limit},
        {"$project": {"_id": 0, "new_followee": "$followee"}},
    ]
    return [("follow_edges", pipeline)]


def newest_followees_in(*, union: UnionResult) -> list[int]:
    """Return the uids in a result that includes that of ``newest_followee_queries``."""
    return [row["new_followee"] for row in union.having("new_followee")]


def newest_edges(*, followers: Sequence[int], limit: int) -> list[Edge]:
    """Return the newest edges of up to 200 followers, newest first.

    One command, which reads about ``limit`` edges. For more followers, the server would read and sort all
    of their edges.
    """
    rows = follow_edges().find({"follower": {"$in": list(followers)}})
    rows.hint([("follower", ASCENDING), ("_id", DESCENDING)]).sort("_id", DESCENDING)
    return [edge_from_document(row) for row in rows.limit(limit).batch_size(limit + 1)]


def count_followees(*, follower: int, limit: int | None = None) -> int:
    """Return how many users this user follows, at most ``limit``. One command."""
    maximum: Document = {} if limit is None else {"limit": limit}
    return follow_edges().count_documents(
        {"follower": follower},
        hint=[("follower", ASCENDING), ("followee", ASCENDING)],
        **maximum,
    )


def followee_counts(*, followers: Collection[int]) -> dict[int, int]:
    """Return the number of followees by follower, without zeros.

    One command, which reads only the index.
    """
    rows = follow_edges().aggregate(
        [
            {"$match": {"follower": {"$in": list(followers)}}},
            {"$project": {"_id": 0, "follower": 1, "followee": 1}},
            {"$group": {"_id": "$follower", "n": {"$sum": 1}}},
        ],
        hint={"follower": 1, "followee": 1},
        batchSize=len(followers) + 1,
    )
    return {row["_id"]: row["n"] for row in rows}


def follower_edges_page(*, followee: int, bounds: PageBounds) -> list[Edge]:
    """Return a page of the edges to a followee, newest first."""
    return _find_edges({"followee": followee}, bounds)


def followee_edges_page(*, follower: int, bounds: PageBounds) -> list[Edge]:
    """Return a page of the edges from a follower, newest first."""
    return _find_edges({"follower": follower}, bounds)


def pending_backfill_id(*, follower: int, followee: int) -> int | None:
    """Return the id of the edge if its backfill is pending, else None."""
    query = {"follower": follower, "followee": followee, "backfill": "pending"}
    row = follow_edges().find_one(query, {"_id": 1})
    return None if row is None else int(row["_id"])


def clear_backfill(*, edge_id: int, follower: int, followee: int) -> None:
    query = {"_id": edge_id, "follower": follower, "followee": followee}
    follow_edges().update_one(query, {"$unset": {"backfill": 1}})


def new_edge_document(
    edge_id: int, follower: int, followee: int, bucket_seq: int, at: datetime
) -> Document:
    """Return the document of a new edge. Its backfill is pending."""
    return {
        "_id": edge_id,
        "follower": follower,
        "followee": followee,
        "at": at,
        "bucket": bucket_seq,
        "backfill": "pending",
    }


def edge_from_document(document: Document) -> Edge:
    return Edge(
        id=document["_id"],
        follower=document["follower"],
        followee=document["followee"],
        bucket_seq=document["bucket"],
    )


def _find_edges(query: Document, bounds: PageBounds) -> list[Edge]:
    rows = find_page(collection=follow_edges(), query=query, bounds=bounds)
    return [edge_from_document(row) for row in rows]
