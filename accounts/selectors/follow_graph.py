"""Who follows whom, to whom a post goes, and which follows still lack their older posts."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from accounts.infra.ids import first_id_at
from accounts.store import audiences, bulk_follows, edges, follow_requests
from accounts.store.audiences import AudienceBucket, AudienceSize


def is_following(*, follower: int | None, followee: int) -> bool:
    if follower is None or follower == followee:
        return False
    return edges.find_edge(follower=follower, followee=followee) is not None


def has_follow_request(*, follower: int | None, followee: int) -> bool:
    """Whether a request of theirs to follow waits for an answer."""
    return follower is not None and follow_requests.has_request(
        follower=follower, followee=followee
    )


def count_follow_requests(*, uid: int) -> int:
    """How many wait for this person's answer."""
    return follow_requests.count_requests(followee=uid)


def followee_ids(*, uid: int) -> list[int]:
    """The uids of everybody this person follows."""
    return edges.followee_ids(follower=uid)


def followees_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """(cursor, uid) of those this person follows, the first followed first, behind a cursor (0: all)."""
    page = edges.followee_edges_page(follower=uid, below=None, above=cursor, limit=limit)
    return [(one.id, one.followee) for one in page[::-1]]


def followers_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """As ``followees_after``, of those who follow this person."""
    page = edges.follower_edges_page(followee=uid, below=None, above=cursor, limit=limit)
    return [(one.id, one.follower) for one in page[::-1]]


def followees_among(*, uid: int, uids: Iterable[int]) -> set[int]:
    """Which of ``uids`` this person follows."""
    return edges.followees_among(follower=uid, uids=uids)


def followers_among(*, uid: int, uids: Iterable[int]) -> set[int]:
    """Which of ``uids`` follow this person."""
    return edges.followers_among(followee=uid, uids=uids)


def count_followers_among(*, uid: int, uids: Iterable[int]) -> int:
    """How many of ``uids`` follow this person."""
    wanted = list(uids)
    return len(wanted) - len(bulk_follows.new_followers(followee=uid, followers=wanted))


def audience_size(*, uid: int) -> AudienceSize:
    """How many people follow this person, and in how many audience buckets."""
    return audiences.audience_size(author=uid)


def audience_buckets(
    *, uid: int, start_seq: int = 0, end_seq: int | None = None
) -> Iterator[AudienceBucket]:
    """The parts of a person's audience from number ``begin`` to before ``end``, but for empty ones."""
    return audiences.buckets(author=uid, start_seq=start_seq, end_seq=end_seq)


def pending_backfill_id(*, follower: int, followee: int) -> int | None:
    """The id of the follow if the feed has still to bring the older posts over."""
    return edges.pending_backfill_id(follower=follower, followee=followee)


def pending_backfills_by_follower(
    *, followed_until: datetime, after_id: int = 0, limit: int
) -> dict[int, list[int]]:
    """By follower, the ids of up to ``limit`` such follows made until a moment, from ``above`` on."""
    below = first_id_at(moment=followed_until + timedelta(milliseconds=1))
    marked: dict[int, list[int]] = {}
    for edge in bulk_follows.pending_backfill_edges(
        after_id=after_id, before_id=below, limit=limit
    ):
        marked.setdefault(edge.follower, []).append(edge.id)
    return marked


def count_pending_backfills() -> int:
    """How many follows there are whose back-fill is still to be done. One command."""
    return bulk_follows.count_pending_backfills()


def pending_backfill_ids(*, follower: int) -> dict[int, int]:
    """By followee, the ids of all such follows of one person."""
    return {
        edge.followee: edge.id for edge in bulk_follows.pending_backfill_edges_of(follower=follower)
    }
