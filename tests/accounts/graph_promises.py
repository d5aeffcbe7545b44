"""What must hold of edges and audience buckets, whoever wrote them and however often it was stopped."""

from collections import Counter

from django.db import connection

from accounts.store.audiences import BUCKET_CAPACITY


def check_graph() -> set[tuple[int, int]]:
    """Assert that edges and audience buckets say the same; returns the (follower, followee) pairs."""
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
    """As ``check_graph``, and assert that boundaries and requests agree with it and with each other."""
    follows = check_graph()
    kept: dict[str, set[tuple[int, int]]] = {}
    suspended = set()
    for one in connection.database["boundaries"].find():
        pair = (one["owner"], one["other"])
        assert pair not in kept.setdefault(one["kind"], set())
        kept[one["kind"]].add(pair)
        if one.get("suspended"):
            assert one["kind"] == "block"
            suspended.add(pair)
    blocks = kept.get("block", set())
    assert kept.get("blocked_by", set()) == _reversed(blocks)
    apart = blocks | _reversed(blocks)
    assert not follows & apart
    # Where both block each other, both follows have ended for good.
    assert not suspended & _reversed(blocks)
    assert kept.get("hide_shares", set()) <= follows | suspended
    asked = [
        (one["follower"], one["followee"]) for one in connection.database["follow_requests"].find()
    ]
    assert len(asked) == len(set(asked))
    assert not set(asked) & (apart | follows)
    return follows


def _reversed(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(other, owner) for owner, other in pairs}


def pending_backfills() -> int:
    return connection.database["follow_edges"].count_documents({"backfill": {"$exists": True}})
