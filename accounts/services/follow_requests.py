"""Follow requests to users who approve their followers, and the follows themselves.

``create_follow`` and ``delete_follow`` write both the edge and the follower's place in the audience.
Services call them in their transaction, after ``pair_locks.lock_pair``.
"""

from django.utils import timezone

from accounts import signals
from accounts.infra.cursors import PageBounds
from accounts.infra.ids import new_id
from accounts.infra.transactions import send_on_commit, transactional
from accounts.selectors.profiles import is_private
from accounts.store import audiences, blocks_and_mutes, edges, follow_requests, pair_locks


def insert_request(*, follower: int, followee: int) -> None:
    """Insert a request unless it already exists. The caller's transaction must have locked the pair."""
    if follow_requests.has_request(follower=follower, followee=followee):
        return
    follow_requests.insert_request(
        id=new_id(), follower=follower, followee=followee, at=timezone.now()
    )
    send_on_commit(signals.follow_requested, follower=follower, followee=followee)


@transactional(retry_duplicate_keys=True)
def accept_follow_request(*, followee: int, follower: int) -> bool:
    """Accept a request and create the follow. Return False if the request no longer exists.

    A block deletes requests, so this cannot create a follow between users who block each other.
    """
    pair_locks.lock_pair(uid=followee, other_uid=follower)
    notify = follow_requests.has_notify(follower=follower, followee=followee)
    if not follow_requests.delete_request(follower=follower, followee=followee):
        return False
    if edges.find_edge(follower=follower, followee=followee) is None:
        create_follow(follower=follower, followee=followee, notify=notify)
    send_on_commit(signals.follow_request_accepted, follower=follower, followee=followee)
    return True


def accept_pending_requests(*, followee: int, limit: int = 100) -> bool:
    """Accept the newest requests to a user who no longer approves followers. Safe to repeat.

    Return whether there may be more requests. Stops if the user approves followers again.
    """
    if is_private(uid=followee):
        return False
    requests = follow_requests.requests_page(followee=followee, bounds=PageBounds(limit))
    for _request_id, follower in requests:
        accept_follow_request(followee=followee, follower=follower)
    return len(requests) == limit


@transactional(retry_duplicate_keys=True)
def reject_follow_request(*, followee: int, follower: int) -> bool:
    """Delete a request without notifying the follower. Return False if there was none.

    The follower can send another request.
    """
    pair_locks.lock_pair(uid=followee, other_uid=follower)
    return delete_request(follower=follower, followee=followee)


def delete_request(*, follower: int, followee: int) -> bool:
    """Delete a request and the settings of the follow. Return False if there was none.

    The caller's transaction must have locked the pair.
    """
    if not follow_requests.delete_request(follower=follower, followee=followee):
        return False
    blocks_and_mutes.delete_follow_settings(owner=follower, other=followee)
    send_on_commit(signals.follow_request_ended, follower=follower, followee=followee)
    return True


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
