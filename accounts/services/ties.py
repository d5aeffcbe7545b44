"""A follow as it begins and ends: the edge and the place in the audience, always both.

For services inside their transaction, after ``pair_locks.meet``.
"""

from django.utils import timezone

from accounts import signals
from accounts.ids import new_id
from accounts.store import audiences, boundaries, edges

from .announcing import announce


def tie(*, follower: int, followee: int, is_restored: bool = False) -> None:
    """Follow from now on; with ``is_restored``, again. Raises ``edges.AlreadyFollows``."""
    bucket = audiences.add(author=followee, follower=follower)
    edge = edges.Edge(id=new_id(), follower=follower, followee=followee, bucket=bucket)
    edges.insert(edge=edge, at=timezone.now())
    announce(signals.followed, follower=follower, followee=followee, is_restored=is_restored)


def untie(*, follower: int, followee: int) -> bool:
    """Follow no longer; False if they did not."""
    edge = edges.get(follower=follower, followee=followee)
    if edge is None:
        return False
    audiences.remove(author=followee, follower=follower, seq=edge.bucket)
    edges.delete(edge=edge)
    announce(signals.unfollowed, follower=follower, followee=followee)
    return True


def end_for_good(*, follower: int, followee: int) -> bool:
    """No follow, none that an unblocking would bring back, and nothing kept for it; False if there was
    neither."""
    followed = untie(follower=follower, followee=followee)
    would_again = boundaries.end_suspended(owner=follower, other=followee)
    boundaries.delete(owner=follower, other=followee, kind=boundaries.HIDE_SHARES)
    return followed or would_again
