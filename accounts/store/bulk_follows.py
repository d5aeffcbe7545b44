"""Many follows at once, for imports. Does the work of ``edges`` and ``audiences`` in a few commands.

``accounts.services.imports.import_followers`` calls the writing functions in its transaction. The result is
the same as after single follows: every follower with an edge is in exactly one bucket, which the edge
names.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pymongo import ASCENDING, DESCENDING, InsertOne, UpdateOne

from accounts.infra.store.connection import Document, session

from .audiences import BUCKET_CAPACITY
from .collections import audience_buckets, follow_edges
from .edges import Edge, edge_from_document, new_edge_document


def bucket_sizes(*, authors: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
    """Return (seq, n) of all buckets by author, newest first. One command, which reads only the index.

    The result has no entry for authors without buckets.
    """
    rows = audience_buckets().find(
        {"author": {"$in": list(authors)}},
        {"_id": 0, "author": 1, "seq": 1, "n": 1},
        hint=[("author", ASCENDING), ("seq", DESCENDING), ("n", ASCENDING)],
        batch_size=100_000,
        session=session(),
    )
    sizes: dict[int, list[tuple[int, int]]] = {}
    for row in rows.sort([("author", ASCENDING), ("seq", DESCENDING)]):
        sizes.setdefault(row["author"], []).append((row["seq"], row["n"]))
    return sizes


def add_to_audiences(
    *,
    followers_by_author: Mapping[int, Sequence[int]],
    bucket_sizes: Mapping[int, Sequence[tuple[int, int]]],
) -> list[tuple[int, int, int]]:
    """Add new followers to buckets. Return (author, follower, seq) of each. At most two commands.

    Fills the newest bucket with room first, like single follows, and creates new buckets when none has
    room. The followers must not be in the audience yet. ``bucket_sizes``: the result of ``bucket_sizes``.
    """
    placements: list[tuple[int, int, int]] = []
    writes: list[InsertOne[Document] | UpdateOne] = []
    for author, uids in followers_by_author.items():
        sizes, remaining = bucket_sizes.get(author, ()), list(uids)
        for seq, size in sizes:
            if size < BUCKET_CAPACITY and remaining:
                room = BUCKET_CAPACITY - size
                chunk, remaining = remaining[:room], remaining[room:]
                change = {"$push": {"uids": {"$each": chunk}}, "$inc": {"n": len(chunk)}}
                writes.append(UpdateOne({"author": author, "seq": seq}, change))
                placements += [(author, uid, seq) for uid in chunk]
        seq = sizes[0][0] + 1 if sizes else 0
        while remaining:
            chunk, remaining = remaining[:BUCKET_CAPACITY], remaining[BUCKET_CAPACITY:]
            bucket = {"author": author, "seq": seq, "uids": chunk, "n": len(chunk)}
            writes.append(InsertOne(bucket))
            placements += [(author, uid, seq) for uid in chunk]
            seq += 1
    # All writes concern different buckets. Unordered, they need one command for each kind of write.
    audience_buckets().bulk_write(writes, ordered=False, session=session())
    return placements


def insert_edges(
    *, placements: Sequence[tuple[int, int, int]], ids: Sequence[int], at: datetime
) -> None:
    """Insert an edge for each placement. Raises BulkWriteError if any of the edges already exists."""
    documents = [
        new_edge_document(edge_id, follower, author, seq, at)
        for edge_id, (author, follower, seq) in zip(ids, placements, strict=True)
    ]
    follow_edges().insert_many(documents, ordered=False, session=session())


def pending_backfill_edges(*, after_id: int, before_id: int, limit: int) -> list[Edge]:
    """Return edges with a pending backfill and an id between the two ids, oldest first."""
    query = {"backfill": "pending", "_id": {"$gt": after_id, "$lt": before_id}}
    rows = follow_edges().find(query).sort("_id", ASCENDING).limit(limit)
    return [edge_from_document(row) for row in rows]


def count_pending_backfills() -> int:
    return follow_edges().count_documents({"backfill": "pending"})


def pending_backfill_edges_of(*, follower: int) -> list[Edge]:
    """Return all edges of one follower with a pending backfill."""
    rows = follow_edges().find({"follower": follower, "backfill": "pending"})
    return [edge_from_document(row) for row in rows]


def clear_backfills(*, edge_ids: Sequence[int]) -> None:
    follow_edges().update_many({"_id": {"$in": list(edge_ids)}}, {"$unset": {"backfill": 1}})
