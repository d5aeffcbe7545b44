"""Creation of many users and follows at once, for imports and the demo."""

from collections.abc import Callable, Collection, Mapping, Sequence

from django.utils import timezone

from accounts import signals
from accounts.infra.ids import new_ids
from accounts.infra.transactions import BACKGROUND_ATTEMPTS, on_commit, transactional
from accounts.models import User
from accounts.store import blocks_and_mutes, bulk_follows, edges
from accounts.store.bulk_follows import clear_backfills as clear_backfills


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
    batch. The number of commands does not depend on the number of followees.

    Concurrent changes: the unique index refuses an edge that another transaction inserted since the
    snapshot began, and every block writes to this index (``edges.conflict_with_new_edges``). The import
    then starts again. An unfollow has the same result before and after the import's snapshot.
    """
    # Read the blocks later than the snapshot of the edges begins, so that no block is missed.
    edges.begin_snapshot()
    # ``fromkeys`` drops duplicates and keeps the order.
    followers = {
        followee: [uid for uid in dict.fromkeys(uids) if uid != followee]
        for followee, uids in followers_by_followee.items()
    }
    bucket_sizes = bulk_follows.bucket_sizes(authors=followers)
    # Users without buckets have no followers.
    followed = {followee: followers[followee] for followee in bucket_sizes if followers[followee]}
    existing_follows = set(edges.existing_follows(followers_by_followee=followed))
    new_followers = _without_pairs(followers, existing_follows)
    if not new_followers:
        return 0
    blocked_pairs = blocks_and_mutes.blocked_pairs(
        owners=new_followers, others={uid for uids in new_followers.values() for uid in uids}
    )
    new_followers = _without_pairs(
        new_followers, {(other, owner) for owner, other in blocked_pairs}
    )
    if not new_followers:
        return 0
    placements = bulk_follows.add_to_audiences(
        followers_by_author=new_followers, bucket_sizes=bucket_sizes
    )
    bulk_follows.insert_edges(
        placements=placements, ids=new_ids(count=len(placements)), at=timezone.now()
    )
    return len(placements)


def _without_pairs(
    followers: Mapping[int, Sequence[int]], pairs: Collection[tuple[int, int]]
) -> dict[int, list[int]]:
    """Return ``followers`` without these (follower, followee), and without followees with no followers."""
    remaining = {
        followee: [uid for uid in uids if (uid, followee) not in pairs]
        for followee, uids in followers.items()
    }
    return {followee: uids for followee, uids in remaining.items() if uids}


def announce_imported_followers(*, on_progress: Callable[[int], None] = lambda _: None) -> None:
    """Send ``followers_imported``. The feed runs all pending backfills before this returns.

    ``on_progress``: function called after each batch with the number of follows in the batch.
    """
    on_commit(lambda: signals.followers_imported.send_robust(sender=None, on_progress=on_progress))
