"""Who follows whom, the audience of a user's posts, and follows whose backfill is pending."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from accounts.infra.ids import first_id_at
from accounts.store import audiences, bulk_follows, edges, follow_requests
from accounts.store.audiences import AudienceBucket
from accounts.store.audiences import AudienceSize as AudienceSize


def is_following(*, follower: int | None, followee: int) -> bool:
    if follower is None or follower == followee:
        return False
    return edges.find_edge(follower=follower, followee=followee) is not None


def has_follow_request(*, follower: int | None, followee: int) -> bool:
    """Return whether a follow request of this follower is pending."""
    return follower is not None and follow_requests.has_request(
        follower=follower, followee=followee
    )


def count_follow_requests(*, uid: int) -> int:
    """Return how many requests to follow this user are pending."""
    return follow_requests.count_requests(followee=uid)


def followee_ids(*, uid: int) -> list[int]:
    """Return the uids of all users this user follows."""
    return edges.followee_ids(follower=uid)


def followees_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (cursor, uid) of users this user follows, the first followed first.

    The list begins after ``cursor``; 0 is the beginning.
    """
    page = edges.followee_edges_page(follower=uid, below=None, above=cursor, limit=limit)
    return [(edge.id, edge.followee) for edge in page[::-1]]


def followers_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (cursor, uid) of this user's followers, as ``followees_after`` does."""
    page = edges.follower_edges_page(followee=uid, below=None, above=cursor, limit=limit)
    return [(edge.id, edge.follower) for edge in page[::-1]]


def followees_among(*, uid: int, uids: Iterable[int]) -> set[int]:
    """Return which of ``uids`` this user follows."""
    return edges.followees_among(follower=uid, uids=uids)


def followers_among(*, uid: int, uids: Iterable[int]) -> set[int]:
    """Return which of ``uids`` follow this user."""
    return edges.followers_among(followee=uid, uids=uids)


def count_followers_among(*, uid: int, uids: Iterable[int]) -> int:
    """Return how many of ``uids`` follow this user."""
    candidates = list(uids)
    return len(candidates) - len(bulk_follows.new_followers(followee=uid, followers=candidates))


def audience_size(*, uid: int) -> AudienceSize:
    """Return how many followers a user has, and in how many audience buckets."""
    return audiences.audience_size(author=uid)


def audience_buckets(
    *, uid: int, start_seq: int = 0, end_seq: int | None = None
) -> Iterator[AudienceBucket]:
    """Return a user's non-empty audience buckets from ``start_seq`` to before ``end_seq``."""
    return audiences.buckets(author=uid, start_seq=start_seq, end_seq=end_seq)


def pending_backfill_id(*, follower: int, followee: int) -> int | None:
    """Return the id of the follow if its backfill is pending, else None."""
    return edges.pending_backfill_id(follower=follower, followee=followee)


def pending_backfills_by_follower(
    *, followed_until: datetime, after_id: int = 0, limit: int
) -> dict[int, list[int]]:
    """Return by follower the ids of up to ``limit`` follows whose backfill is pending.

    Only follows made until ``followed_until``, with ids above ``after_id``.
    """
    before_id = first_id_at(moment=followed_until + timedelta(milliseconds=1))
    edge_ids: dict[int, list[int]] = {}
    for edge in bulk_follows.pending_backfill_edges(
        after_id=after_id, before_id=before_id, limit=limit
    ):
        edge_ids.setdefault(edge.follower, []).append(edge.id)
    return edge_ids


def count_pending_backfills() -> int:
    """Return for how many follows the backfill is pending. One command."""
    return bulk_follows.count_pending_backfills()


def pending_backfill_ids(*, follower: int) -> dict[int, int]:
    """Return by followee the ids of one user's follows whose backfill is pending."""
    return {
        edge.followee: edge.id for edge in bulk_follows.pending_backfill_edges_of(follower=follower)
    }
