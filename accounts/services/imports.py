"""Very many people and follows at once, as for an import or a demo."""

from collections.abc import Callable, Mapping, Sequence

from django.utils import timezone

from accounts import signals
from accounts.infra.ids import new_id
from accounts.infra.transactions import BACKGROUND_ATTEMPTS, on_commit, transactional
from accounts.models import User
from accounts.store import blocks_and_mutes, bulk_follows, edges, pair_locks


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def import_users(*, users: Sequence[User]) -> dict[str, int]:
    """Sign up many people at once; who has a name already stays as they are. Returns uids by name."""
    names = [person.username for person in users]
    there = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
    new = [person for person in users if person.username not in there]
    User.objects.bulk_create(new)
    return there | {person.username: person.pk for person in new}


@transactional(retry_duplicate_keys=True, max_attempts=BACKGROUND_ATTEMPTS)
def import_followers(*, followers_by_followee: Mapping[int, Sequence[int]]) -> int:
    """Many follow at once (followers by followee); returns how many did not before.

    Who blocks or is blocked is left out. One transaction: give it a few thousand at a time. Nothing is
    announced for each; call ``announce_added_followers`` in the end.
    """
    pair_locks.lock_pairs(
        pairs=((uid, author) for author, uids in followers_by_followee.items() for uid in uids)
    )
    apart = blocks_and_mutes.blocked_pairs(
        owners=followers_by_followee,
        others={uid for uids in followers_by_followee.values() for uid in uids},
    )
    new = {
        followee: bulk_follows.new_followers(
            followee=followee,
            followers=(u for u in uids if u != followee and (followee, u) not in apart),
        )
        for followee, uids in followers_by_followee.items()
    }
    placed = bulk_follows.add_to_audiences(followers_by_author=new)
    added = [edges.Edge(new_id(), follower, author, seq) for author, follower, seq in placed]
    if added:
        bulk_follows.insert_edges(edges=added, at=timezone.now())
    return len(added)


def announce_imported_followers(*, on_progress: Callable[[int], None] = lambda _: None) -> None:
    """Have the older posts of all these followees brought, before this returns.

    ``advance``: called with the number of follows whenever some are done.
    """
    on_commit(lambda: signals.followers_imported.send_robust(sender=None, advance=on_progress))


def clear_pending_backfills(*, edge_ids: Sequence[int]) -> None:
    """The feed has brought the older posts of many followees over."""
    bulk_follows.clear_backfills(edge_ids=edge_ids)
