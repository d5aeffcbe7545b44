"""What must hold of edges and audience buckets, whoever wrote them and however often it was stopped."""

from collections import Counter

from django.db import connection

from accounts.store.audiences import CAPACITY


def check_graph() -> set[tuple[int, int]]:
    """Assert that edges and audience buckets say the same; returns the (follower, followee) pairs."""
    edges = list(connection.database["follow_edges"].find())
    follows = {(edge["follower"], edge["followee"]): edge["bucket"] for edge in edges}
    assert len(follows) == len(edges)
    assert not [edge for edge in edges if edge["follower"] == edge["followee"]]
    seqs: dict[int, list[int]] = {}
    places: Counter[tuple[int, int, int]] = Counter()
    for bucket in connection.database["audience_buckets"].find():
        assert bucket["n"] == len(bucket["uids"]) <= CAPACITY
        seqs.setdefault(bucket["author"], []).append(bucket["seq"])
        places.update((uid, bucket["author"], bucket["seq"]) for uid in bucket["uids"])
    assert places == Counter((*pair, seq) for pair, seq in follows.items())
    for numbers in seqs.values():
        assert sorted(numbers) == list(range(len(numbers)))
    return set(follows)


def pending_backfills() -> int:
    return connection.database["follow_edges"].count_documents({"backfill": {"$exists": True}})
