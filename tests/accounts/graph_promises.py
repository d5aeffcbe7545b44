"""Invariants of edges, audience buckets, blocks and requests.

These invariants must hold even after an interruption at any point.
"""

from collections import Counter

from django.db import connection

from accounts.store.audiences import BUCKET_CAPACITY


def check_graph() -> set[tuple[int, int]]:
    """Assert that edges and audience buckets agree. Return the pairs (follower, followee)."""
    edges = list(connection.database["follow_edges"].find())
    follows = {(edge["follower"], edge["followee"]): edge["bucket"] for edge in edges}
    assert len(follows) == len(edges)
    assert not [edge for edge in edges if edge["follower"] == edge["followee"]]
    seqs: dict[int, list[int]] = {}
    places: Counter[tuple[int, int, int]] = Counter()
    for bucket in connection.database["audience_buckets"].find():
        assert bucket["n"] == len(bucket["uids"]) <= BUCKET_CAPACITY
        seqs.setdefault(bucket["author"], []).append(bucket["seq"])
        places.update((uid, bucket["author"], bucket["seq"]) for uid in bucket["uids"])
    assert places == Counter((*pair, seq) for pair, seq in follows.items())
    for numbers in seqs.values():
        assert sorted(numbers) == list(range(len(numbers)))
    return set(follows)


def check_relationships() -> set[tuple[int, int]]:
    """Run ``check_graph``, and assert that blocks, mutes and requests are consistent with the follows.

    Return the pairs (follower, followee).
    """
    follows = check_graph()
    pairs_by_kind: dict[str, set[tuple[int, int]]] = {}
    restorable = set()
    for row in connection.database["blocks_and_mutes"].find():
        pair = (row["owner"], row["other"])
        assert pair not in pairs_by_kind.setdefault(row["kind"], set())
        pairs_by_kind[row["kind"]].add(pair)
        if row.get("restores_follow"):
            assert row["kind"] == "block"
            restorable.add(pair)
    blocks = pairs_by_kind.get("block", set())
    assert pairs_by_kind.get("blocked_by", set()) == _reversed(blocks)
    blocked = blocks | _reversed(blocks)
    assert not follows & blocked
    # If both users block each other, no follow is restored.
    assert not restorable & _reversed(blocks)
    rows = connection.database["follow_requests"].find()
    requests = [(row["follower"], row["followee"]) for row in rows]
    assert len(requests) == len(set(requests))
    for kind in ("hide_shares", "languages"):
        assert pairs_by_kind.get(kind, set()) <= follows | restorable | set(requests)
    assert not set(requests) & (blocked | follows)
    return follows


def _reversed(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(other, owner) for owner, other in pairs}


def pending_backfills() -> int:
    return connection.database["follow_edges"].count_documents({"backfill": {"$exists": True}})
