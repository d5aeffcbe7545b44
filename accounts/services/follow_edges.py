"""Create and delete follows. Each function writes both the edge and the follower's place in the audience.

Services call these functions in their transaction, after ``pair_locks.lock_pair``.
"""

from django.utils import timezone

from accounts import signals
from accounts.infra.ids import new_id
from accounts.infra.transactions import send_on_commit
from accounts.store import audiences, blocks_and_mutes, edges


def create_follow(
    *, follower: int, followee: int, is_restored: bool = False, notify: bool = False
) -> None:
    """Create a follow. Raises ``edges.AlreadyFollows``.

    ``is_restored``: a block had deleted the follow, and the block has ended. ``notify``: the follower
    subscribes to the followee's posts.
    """
    bucket_seq = audiences.add_follower(author=followee, follower=follower)
    edge = edges.Edge(id=new_id(), follower=follower, followee=followee, bucket_seq=bucket_seq)
    edges.insert_edge(edge=edge, at=timezone.now())
    if notify:
        edges.set_notify(follower=follower, followee=followee, is_on=True)
    send_on_commit(signals.followed, follower=follower, followee=followee, is_restored=is_restored)


def delete_follow(*, follower: int, followee: int) -> bool:
    """Delete a follow. Return False if there was none."""
    edge = edges.find_edge(follower=follower, followee=followee)
    if edge is None:
        return False
    audiences.remove_follower(author=followee, follower=follower, seq=edge.bucket_seq)
    edges.delete_edge(edge=edge)
    send_on_commit(signals.unfollowed, follower=follower, followee=followee)
    return True


def delete_follow_permanently(*, follower: int, followee: int) -> bool:
    """Delete a follow and its settings so that no unblock restores them.

    Return False if there was neither a follow nor a block that would have restored the follow.
    """
    was_following = delete_follow(follower=follower, followee=followee)
    was_restorable = blocks_and_mutes.clear_restored_follow(owner=follower, other=followee)
    blocks_and_mutes.delete_follow_settings(owner=follower, other=followee)
    return was_following or was_restorable
