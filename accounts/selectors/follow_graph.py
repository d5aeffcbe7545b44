"""Who follows whom, the audience of a user's posts, and follows with a pending backfill.

The backfill of a follow adds the followee's older posts to the follower's timeline.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from accounts.infra.ids import first_id_at
from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query
from accounts.store import audiences, bulk_follows, edges, follow_requests
from accounts.store.audiences import AudienceBucket
from accounts.store.audiences import AudienceSize as AudienceSize


def is_following(*, follower: int | None, followee: int) -> bool:
    if follower is None or follower == followee:
        return False
    return edges.find_edge(follower=follower, followee=followee) is not None


def has_follow_request(*, follower: int | None, followee: int) -> bool:
    """Return whether this follower has a pending request to follow the user."""
    return follower is not None and follow_requests.has_request(
        follower=follower, followee=followee
    )


def count_follow_requests(*, uid: int) -> int:
    """Return the number of pending requests to follow this user."""
    return follow_requests.count_requests(followee=uid)


def followee_ids(*, uid: int) -> list[int]:
    """Return the uids of all users this user follows."""
    return edges.followee_ids(follower=uid)


def followee_queries(*, uid: int) -> list[Query]:
    """Return the query of ``followee_ids``, to read it with others in one command (``read_union``)."""
    return edges.followee_queries(follower=uid)


def followees_in(*, documents: Iterable[Document]) -> list[int]:
    """Return the uids in a result that includes that of ``followee_queries``."""
    return edges.followees_in(documents=documents)


def followees_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (cursor, uid) of users this user follows, the oldest follow first.

    The list begins after ``cursor``. Pass 0 for the beginning.
    """
    page = edges.followee_edges_page(follower=uid, below=None, above=cursor, limit=limit)
    return [(edge.id, edge.followee) for edge in page[::-1]]


def followers_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (cursor, uid) of this user's followers, the oldest follow first.

    The list begins after ``cursor``. Pass 0 for the beginning.
    """
    page = edges.follower_edges_page(followee=uid, below=None, above=cursor, limit=limit)
    return [(edge.id, edge.follower) for edge in page[::-1]]


def subscribers_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (cursor, uid) of followers who want a notification of each post, the oldest follow first.

    The list begins after ``cursor``. Pass 0 for the beginning. One command, which reads only subscribers.
    """
    return edges.subscribers_after(followee=uid, cursor=cursor, limit=limit)


def subscriber_queries(*, uid: int) -> list[Query]:
    """Return the query for whether a user has subscribers, to read it with others in one command."""
    return edges.subscriber_queries(followee=uid)


def has_subscriber_in(*, documents: Iterable[Document]) -> bool:
    """Return whether a result that includes that of ``subscriber_queries`` has a subscriber."""
    return edges.has_subscriber_in(documents=documents)


def subscribed_uids(*, uid: int) -> set[int]:
    """Return the followed users of whose posts this user wants notifications. Reads all follows."""
    return edges.subscribed_followees(follower=uid)


def featured_uids(*, uid: int) -> list[int]:
    """Return the users whom this user features on the profile, the newest first. One command."""
    return [other for _id, other in edges.featured_followees(follower=uid)]


def followees_lookup(*, follower: int, followees: str, result: str) -> Document:
    """Return the stage of a pipeline that sets ``result`` to ``[{followee}]``: which users are followed.

    ``followees`` is the name of a field with an array of uids.
    """
    return edges.followees_lookup(follower=follower, followees=followees, result=result)


def follow_counts(*, uids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return (number of followers, number of followees) by uid. Two commands."""
    unique_uids = set(uids)
    followers = audiences.follower_counts(authors=unique_uids)
    followees = edges.followee_counts(followers=unique_uids)
    return {uid: (followers.get(uid, 0), followees.get(uid, 0)) for uid in unique_uids}


def followees_among(*, uid: int, uids: Iterable[int]) -> set[int]:
    """Return which of ``uids`` this user follows."""
    return edges.followees_among(follower=uid, uids=uids)


def followers_among(*, uid: int, uids: Iterable[int]) -> set[int]:
    """Return which of ``uids`` follow this user."""
    return edges.followers_among(followee=uid, uids=uids)


def count_followers_among(*, uid: int, uids: Iterable[int]) -> int:
    """Return how many of ``uids`` follow this user."""
    candidates = list(uids)
    return len(edges.followers_among(followee=uid, uids=candidates))


def audience_size(*, uid: int) -> AudienceSize:
    """Return the numbers of a user's followers and audience buckets."""
    return audiences.audience_size(author=uid)


def audience_buckets(
    *, uid: int, start_seq: int = 0, end_seq: int | None = None
) -> Iterator[AudienceBucket]:
    """Return a user's non-empty audience buckets whose seq is from ``start_seq`` to below ``end_seq``."""
    return audiences.buckets(author=uid, start_seq=start_seq, end_seq=end_seq)


def pending_backfill_id(*, follower: int, followee: int) -> int | None:
    """Return the id of the follow if its backfill is pending, else None."""
    return edges.pending_backfill_id(follower=follower, followee=followee)


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


def count_pending_backfills() -> int:
    """Return the number of follows with a pending backfill. One command."""
    return bulk_follows.count_pending_backfills()


def pending_backfill_ids(*, follower: int) -> dict[int, int]:
    """Return the ids of one user's follows with a pending backfill, by followee."""
    return {
        edge.followee: edge.id for edge in bulk_follows.pending_backfill_edges_of(follower=follower)
    }
