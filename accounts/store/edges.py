"""Who follows whom.

    follow_edges {_id: edge id, follower, followee, at, bucket, backfill?}

Unique on (follower, followee). The edge id is the moment of following and the cursor of the lists.
``bucket`` is the audience bucket that holds the follower; ``backfill: "pending"`` stays until the
feed has put the followee's older posts into the follower's timeline.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING, DESCENDING
from pymongo.errors import DuplicateKeyError

from .collections import Document, follow_edges, session
from .pages import find_page


class AlreadyFollows(ValueError):
    """There is an edge between the two."""


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
    marked = {"backfill": {"$exists": True}}
    edges.create_index(
        [("backfill", ASCENDING), ("_id", ASCENDING)], partialFilterExpression=marked
    )
    edges.create_index(
        [("backfill", ASCENDING), ("follower", ASCENDING)], partialFilterExpression=marked
    )


def find_edge(*, follower: int, followee: int) -> Edge | None:
    found = follow_edges().find_one({"follower": follower, "followee": followee}, session=session())
    return None if found is None else edge_from_document(found)


def insert_edge(*, edge: Edge, at: datetime) -> None:
    """Raises AlreadyFollows; the transaction is lost then."""
    try:
        follow_edges().insert_one(edge_to_document(edge, at), session=session())
    except DuplicateKeyError as error:
        raise AlreadyFollows from error


def delete_edge(*, edge: Edge) -> bool:
    return bool(
        follow_edges()
        .delete_one(
            {"_id": edge.id, "follower": edge.follower, "followee": edge.followee},
            session=session(),
        )
        .deleted_count
    )


def delete_edges_to(*, followee: int) -> None:
    """Nobody follows this person any more: one command. The audience is deleted apart."""
    follow_edges().delete_many({"followee": followee})


def followees_among(*, follower: int, uids: Iterable[int]) -> set[int]:
    """Which of ``uids`` this person follows: one command, answered by the index alone."""
    wanted = list(uids)
    query = {"follower": follower, "followee": {"$in": wanted}}
    found = follow_edges().find(query, {"_id": 0, "followee": 1}).batch_size(len(wanted) + 1)
    return {one["followee"] for one in found}


def followers_among(*, followee: int, uids: Iterable[int]) -> set[int]:
    """Which of ``uids`` follow this person: one command, answered by the index alone."""
    wanted = list(uids)
    found = follow_edges().find(
        {"followee": followee, "follower": {"$in": wanted}},
        {"_id": 0, "follower": 1},
        hint=[("follower", ASCENDING), ("followee", ASCENDING)],
        session=session(),
    )
    return {one["follower"] for one in found.batch_size(len(wanted) + 1)}


def follow_pairs(*, followers: Sequence[int], followees: Sequence[int]) -> list[tuple[int, int]]:
    """(follower, followee) of all follows from the ones to the others: one command on the index alone."""
    if not followers or not followees:
        return []
    found = follow_edges().find(
        {"follower": {"$in": list(followers)}, "followee": {"$in": list(followees)}},
        {"_id": 0, "follower": 1, "followee": 1},
        hint=[("follower", ASCENDING), ("followee", ASCENDING)],
        batch_size=len(followers) * len(followees) + 1,
    )
    return [(one["follower"], one["followee"]) for one in found]


def followee_ids(*, follower: int) -> list[int]:
    """Everybody this person follows, in no order: one command, answered by the index alone."""
    found = follow_edges().find({"follower": follower}, {"_id": 0, "followee": 1})
    found.hint([("follower", ASCENDING), ("followee", ASCENDING)])
    return [one["followee"] for one in found.batch_size(400_000)]


def newest_edges(*, followers: Sequence[int], limit: int) -> list[Edge]:
    """The newest edges from up to 200 people, newest first: one command that reads about ``limit``.

    For more people the server would read all their edges and sort.
    """
    found = follow_edges().find({"follower": {"$in": list(followers)}})
    found.hint([("follower", ASCENDING), ("_id", DESCENDING)]).sort("_id", DESCENDING)
    return [edge_from_document(one) for one in found.limit(limit).batch_size(limit + 1)]


def count_followees(*, follower: int) -> int:
    return follow_edges().count_documents(
        {"follower": follower}, hint=[("follower", ASCENDING), ("followee", ASCENDING)]
    )


def followee_counts(*, followers: Collection[int]) -> dict[int, int]:
    """How many each of these who follow anybody follows: one command on the index alone."""
    counted = follow_edges().aggregate(
        [
            {"$match": {"follower": {"$in": list(followers)}}},
            {"$project": {"_id": 0, "follower": 1, "followee": 1}},
            {"$group": {"_id": "$follower", "n": {"$sum": 1}}},
        ],
        hint={"follower": 1, "followee": 1},
        batchSize=len(followers) + 1,
    )
    return {one["_id"]: one["n"] for one in counted}


def follower_edges_page(
    *, followee: int, below: int | None, above: int | None, limit: int
) -> list[Edge]:
    """The newest edges towards a person, newest first; see ``pages.page``."""
    return _page({"followee": followee}, below, above, limit)


def followee_edges_page(
    *, follower: int, below: int | None, above: int | None, limit: int
) -> list[Edge]:
    """The newest edges from a person, newest first; see ``pages.page``."""
    return _page({"follower": follower}, below, above, limit)


def pending_backfill_id(*, follower: int, followee: int) -> int | None:
    """The id of the edge if its back-fill is still to be done."""
    query = {"follower": follower, "followee": followee, "backfill": "pending"}
    found = follow_edges().find_one(query, {"_id": 1})
    return None if found is None else int(found["_id"])


def clear_backfill(*, edge_id: int, follower: int, followee: int) -> None:
    edge = {"_id": edge_id, "follower": follower, "followee": followee}
    follow_edges().update_one(edge, {"$unset": {"backfill": 1}})


def edge_to_document(edge: Edge, at: datetime) -> Document:
    """A new edge as it is stored: its back-fill is still to be done."""
    return {
        "_id": edge.id,
        "follower": edge.follower,
        "followee": edge.followee,
        "at": at,
        "bucket": edge.bucket_seq,
        "backfill": "pending",
    }


def edge_from_document(document: Document) -> Edge:
    return Edge(
        id=document["_id"],
        follower=document["follower"],
        followee=document["followee"],
        bucket_seq=document["bucket"],
    )


def _page(side: Document, below: int | None, above: int | None, limit: int) -> list[Edge]:
    found = find_page(collection=follow_edges(), query=side, below=below, above=above, limit=limit)
    return [edge_from_document(one) for one in found]
