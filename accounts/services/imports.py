"""Creation of many users and follows at once, for imports and the demo."""

from collections.abc import Callable, Mapping, Sequence

from django.utils import timezone

from accounts import signals
from accounts.infra.ids import new_ids
from accounts.infra.transactions import BACKGROUND_ATTEMPTS, on_commit, transactional
from accounts.models import User
from accounts.store import blocks_and_mutes, bulk_follows, edges, pair_locks


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def import_users(*, users: Sequence[User]) -> dict[str, int]:
    """Create many users. Leave existing usernames unchanged. Return uids by username."""
    names = [user.username for user in users]
    present = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
    new_users = [user for user in users if user.username not in present]
    User.objects.bulk_create(new_users)
    return present | {user.username: user.pk for user in new_users}


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def import_followers(*, followers_by_followee: Mapping[int, Sequence[int]]) -> int:
    """Create many follows in one transaction. Return how many follows are new.

    Leaves out pairs in which either user blocks the other. Pass at most a few thousand follows, because a
    transaction must not take long. Sends no signals, so call ``announce_imported_followers`` after the last
    batch.
    """
    sizes_by_author = bulk_follows.bucket_sizes(authors=followers_by_followee)
    new_followers = _without_existing(followers_by_followee, with_followers=sizes_by_author)
    if not new_followers:
        return 0
    pair_locks.lock_users(uids=new_followers)
    blocked_pairs = blocks_and_mutes.blocked_pairs(
        owners=new_followers, others={uid for uids in new_followers.values() for uid in uids}
    )
    if blocked_pairs:
        new_followers = {
            followee: [uid for uid in uids if (followee, uid) not in blocked_pairs]
            for followee, uids in new_followers.items()
        }
    placements = bulk_follows.add_to_audiences(
        followers_by_author=new_followers, sizes_by_author=sizes_by_author
    )
    bulk_follows.insert_edges(
        placements=placements, ids=new_ids(count=len(placements)), at=timezone.now()
    )
    return len(placements)


def _without_existing(followers_by_followee, with_followers):
    candidates = {
        followee: dict.fromkeys(uids) for followee, uids in followers_by_followee.items()
    }
    followees = [followee for followee in candidates if followee in with_followers]
    existing = edges.follow_pairs(
        followers=list({uid for followee in followees for uid in candidates[followee]}),
        followees=followees,
    )
    for follower, followee in existing:
        candidates[followee].pop(follower, None)
    for followee in candidates: candidates[followee].pop(followee, None)
    return {followee: list(uids) for followee, uids in candidates.items() if uids}


def announce_imported_followers(*, on_progress: Callable[[int], None] = lambda _: None) -> None:
    """Send ``followers_imported``. The feed runs all pending backfills before this returns.

    ``on_progress``: function called after each batch with the number of follows in the batch.
    """
    on_commit(lambda: signals.followers_imported.send_robust(sender=None, on_progress=on_progress))


def clear_pending_backfills(*, edge_ids: Sequence[int]) -> None:
    """Mark the backfills of these follows as done."""
    bulk_follows.clear_backfills(edge_ids=edge_ids)
