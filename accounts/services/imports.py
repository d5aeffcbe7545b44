"""Very many people and follows at once, as for an import or a demo."""

from collections.abc import Callable, Mapping, Sequence

from django.utils import timezone

from accounts import signals
from accounts.ids import new_id
from accounts.models import User
from accounts.store import boundaries, bulk, edges, pair_locks
from accounts.transactions import PATIENT_ATTEMPTS, on_commit, transactional


@transactional(retry_duplicate_keys=True, attempts=PATIENT_ATTEMPTS)
def add_people(*, people: Sequence[User]) -> dict[str, int]:
    """Sign up many people at once; who has a name already stays as they are. Returns uids by name."""
    names = [person.username for person in people]
    there = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
    new = [person for person in people if person.username not in there]
    User.objects.bulk_create(new)
    return there | {person.username: person.pk for person in new}


@transactional(retry_duplicate_keys=True, attempts=PATIENT_ATTEMPTS)
def add_followers(*, followers: Mapping[int, Sequence[int]]) -> int:
    """Many follow at once (followers by followee); returns how many did not before.

    Who blocks or is blocked is left out. One transaction: give it a few thousand at a time. Nothing is
    announced for each; call ``announce_added_followers`` in the end.
    """
    pair_locks.meet_all(pairs=((uid, author) for author, uids in followers.items() for uid in uids))
    apart = boundaries.apart(
        people=followers, others={uid for uids in followers.values() for uid in uids}
    )
    new = {
        followee: bulk.lacking(
            followee=followee,
            followers=(u for u in uids if u != followee and (followee, u) not in apart),
        )
        for followee, uids in followers.items()
    }
    placed = bulk.add_to_audiences(followers=new)
    added = [edges.Edge(new_id(), follower, author, seq) for author, follower, seq in placed]
    if added:
        bulk.insert_edges(edges=added, at=timezone.now())
    return len(added)


def announce_added_followers(*, advance: Callable[[int], None] = lambda _: None) -> None:
    """Have the older posts of all these followees brought, before this returns.

    ``advance``: called with the number of follows whenever some are done.
    """
    on_commit(lambda: signals.followers_added.send_robust(sender=None, advance=advance))


def finish_backfills(*, edge_ids: Sequence[int]) -> None:
    """The feed has brought the older posts of many followees over."""
    bulk.clear_backfills(edge_ids=edge_ids)
