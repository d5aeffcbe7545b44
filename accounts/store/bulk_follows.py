"""Many follows at once, for imports: what ``edges`` and ``audiences`` do one by one, in few commands.

Only inside the transaction of ``accounts.services.add_followers``, which keeps the same promise: who
has an edge is in exactly the one bucket that the edge names.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pymongo import ASCENDING, DESCENDING, InsertOne, UpdateOne

from .audiences import BUCKET_CAPACITY
from .collections import Document, audience_buckets, follow_edges, session
from .edges import Edge, edge_from_document, edge_to_document, followers_among


def new_followers(*, followee: int, followers: Iterable[int]) -> list[int]:
    """Those who do not follow yet, each once, in their order: one command, on the index alone."""
    wanted = list(dict.fromkeys(followers))
    present = followers_among(followee=followee, uids=wanted)
    return [uid for uid in wanted if uid not in present]


def add_to_audiences(
    *, followers_by_author: Mapping[int, Sequence[int]]
) -> list[tuple[int, int, int]]:
    """Put followers (by author) into buckets: two commands; returns (author, follower, seq).

    As one by one: the newest bucket with room is filled first, and new ones are opened when none has
    any. All must be new to their author.
    """
    known = _buckets(followers_by_author)
    placed: list[tuple[int, int, int]] = []
    writes: list[InsertOne[Document] | UpdateOne] = []
    for author, uids in followers_by_author.items():
        sizes, rest = known[author], list(uids)
        for seq, n in sizes:
            if n < BUCKET_CAPACITY and rest:
                part, rest = rest[: BUCKET_CAPACITY - n], rest[BUCKET_CAPACITY - n :]
                writes.append(_push(author, seq, part))
                placed += [(author, uid, seq) for uid in part]
        seq = sizes[0][0] + 1 if sizes else 0
        while rest:
            part, rest = rest[:BUCKET_CAPACITY], rest[BUCKET_CAPACITY:]
            bucket = {"author": author, "seq": seq, "uids": part, "n": len(part)}
            writes.append(InsertOne(bucket))
            placed += [(author, uid, seq) for uid in part]
            seq += 1
    if writes:
        audience_buckets().bulk_write(writes, session=session())
    return placed


def insert_edges(*, edges: Iterable[Edge], at: datetime) -> None:
    """Raises BulkWriteError if one of the followers follows already."""
    documents = [edge_to_document(edge, at) for edge in edges]
    follow_edges().insert_many(documents, session=session())


def pending_backfill_edges(*, after_id: int, before_id: int, limit: int) -> list[Edge]:
    """Follows between two ids whose back-fill is still to be done, the oldest first."""
    query = {"backfill": "pending", "_id": {"$gt": after_id, "$lt": before_id}}
    return [
        edge_from_document(one)
        for one in follow_edges().find(query).sort("_id", ASCENDING).limit(limit)
    ]


def count_pending_backfills() -> int:
    return follow_edges().count_documents({"backfill": "pending"})


def pending_backfill_edges_of(*, follower: int) -> list[Edge]:
    """All follows of one person whose back-fill is still to be done."""
    return [
        edge_from_document(one)
        for one in follow_edges().find({"follower": follower, "backfill": "pending"})
    ]


def clear_backfills(*, edge_ids: Sequence[int]) -> None:
    follow_edges().update_many({"_id": {"$in": list(edge_ids)}}, {"$unset": {"backfill": 1}})


def _buckets(authors: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
    """(seq, n) of all buckets by author, newest first: one command, on the index alone."""
    found = audience_buckets().find(
        {"author": {"$in": list(authors)}},
        {"_id": 0, "author": 1, "seq": 1, "n": 1},
        hint=[("author", ASCENDING), ("seq", DESCENDING), ("n", ASCENDING)],
        session=session(),
    )
    sizes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for one in found.sort([("author", ASCENDING), ("seq", DESCENDING)]):
        sizes[one["author"]].append((one["seq"], one["n"]))
    return sizes


def _push(author: int, seq: int, uids: Sequence[int]) -> UpdateOne:
    return UpdateOne(
        {"author": author, "seq": seq},
        {"$push": {"uids": {"$each": uids}}, "$inc": {"n": len(uids)}},
    )
