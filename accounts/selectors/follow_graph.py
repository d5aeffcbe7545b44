"""Who follows whom, the audience of a user's posts, and follows with a pending backfill.

The names of the stores that this module only imports are for other apps.

The backfill of a follow adds the followee's older posts to the follower's timeline.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import first_id_at
from accounts.store import audiences, bulk_follows, edges, follow_requests
from accounts.store.audiences import AudienceSize as AudienceSize
from accounts.store.audiences import audience_buckets as audience_buckets
from accounts.store.audiences import audience_size as audience_size
from accounts.store.bulk_follows import count_pending_backfills as count_pending_backfills
from accounts.store.edges import count_followees as count_followees
from accounts.store.edges import followee_ids as followee_ids
from accounts.store.edges import followee_queries as followee_queries
from accounts.store.edges import followees_among as followees_among
from accounts.store.edges import followees_in as followees_in
from accounts.store.edges import followees_lookup as followees_lookup
from accounts.store.edges import followers_among as followers_among
from accounts.store.edges import has_subscriber_in as has_subscriber_in
from accounts.store.edges import pending_backfill_id as pending_backfill_id
from accounts.store.edges import subscribed_followees as subscribed_followees
from accounts.store.edges import subscriber_queries as subscriber_queries
from accounts.store.edges import subscribers_after as subscribers_after
from accounts.store.follow_requests import count_requests as count_requests


def is_following(*, follower: int | None, followee: int) -> bool:
    if follower is None or follower == followee:
        return False
    return edges.find_edge(follower=follower, followee=followee) is not None


def has_follow_request(*, follower: int | None, followee: int) -> bool:
    """Return whether this follower has a pending request to follow the user."""
    return follower is not None and follow_requests.has_request(
        follower=follower, followee=followee
    )


def followees_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (cursor, uid) of users this user follows, the oldest follow first.

    The list begins after ``cursor``. Pass 0 for the beginning.
    """
    page = edges.followee_edges_page(follower=uid, bounds=PageBounds(limit, min_id=cursor))
    return [(edge.id, edge.followee) for edge in page[::-1]]


def followers_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (cursor, uid) of this user's followers, the oldest follow first.

    The list begins after ``cursor``. Pass 0 for the beginning.
    """
    page = edges.follower_edges_page(followee=uid, bounds=PageBounds(limit, min_id=cursor))
    return [(edge.id, edge.follower) for edge in page[::-1]]


def featured_uids(*, uid: int) -> list[int]:
    """Return the users whom this user features on the profile, the newest first. One command."""
    return [other for _id, other in edges.featured_followees(follower=uid)]


def follow_counts(*, uids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return (number of followers, number of followees) by uid. Two commands."""
    unique_uids = set(uids)
    followers = audiences.follower_counts(authors=unique_uids)
    followees = edges.followee_counts(followers=unique_uids)
    return {uid: (followers.get(uid, 0), followees.get(uid, 0)) for uid in unique_uids}


def pending_backfills_by_follower(
    *, followed_until: datetime, after_id: int = 0, limit: int
) -> dict[int, list[int]]:
    """Return ids of follows with a pending backfill, grouped by follower.

    Returns at most ``limit`` ids, oldest first, of follows made until ``followed_until`` with ids above
    ``after_id``.
    """
    before_id = first_id_at(moment=followed_until + timedelta(milliseconds=1))
    edge_ids: dict[int, list[int]] = {}
    for edge in bulk_follows.pending_backfill_edges(
        after_id=after_id, before_id=before_id, limit=limit
    ):
        edge_ids.setdefault(edge.follower, []).append(edge.id)
    return edge_ids


def pending_backfill_ids(*, follower: int) -> dict[int, int]:
    """Return the ids of one user's follows with a pending backfill, by followee."""
    return {
        edge.followee: edge.id for edge in bulk_follows.pending_backfill_edges_of(follower=follower)
    }
