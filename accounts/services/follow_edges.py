"""A follow as it begins and ends: the edge and the place in the audience, always both.

For services inside their transaction, after ``pair_locks.meet``.
"""

from django.utils import timezone

from accounts import signals
from accounts.infra.ids import new_id
from accounts.infra.transactions import send_on_commit
from accounts.store import audiences, blocks_and_mutes, edges


def create_follow(*, follower: int, followee: int, is_restored: bool = False) -> None:
    """Follow from now on; with ``is_restored``, again. Raises ``edges.AlreadyFollows``."""
    bucket = audiences.add_follower(author=followee, follower=follower)
    edge = edges.Edge(id=new_id(), follower=follower, followee=followee, bucket_seq=bucket)
    edges.insert_edge(edge=edge, at=timezone.now())
    send_on_commit(signals.followed, follower=follower, followee=followee, is_restored=is_restored)


def delete_follow(*, follower: int, followee: int) -> bool:
    """Follow no longer; False if they did not."""
    edge = edges.find_edge(follower=follower, followee=followee)
    if edge is None:
        return False
    audiences.remove_follower(author=followee, follower=follower, seq=edge.bucket_seq)
    edges.delete_edge(edge=edge)
    send_on_commit(signals.unfollowed, follower=follower, followee=followee)
    return True


def delete_follow_permanently(*, follower: int, followee: int) -> bool:
    """No follow, none that an unblocking would bring back, and nothing kept for it; False if there was
    neither."""
    followed = delete_follow(follower=follower, followee=followee)
    would_again = blocks_and_mutes.clear_restored_follow(owner=follower, other=followee)
    blocks_and_mutes.delete_mute_or_hide(
        owner=follower, other=followee, kind=blocks_and_mutes.HIDE_SHARES
    )
    return followed or would_again
