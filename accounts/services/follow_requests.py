"""Requests to follow people who approve their followers, and the answers to them."""

from django.utils import timezone

from accounts import signals
from accounts.infra.ids import new_id
from accounts.infra.transactions import send_on_commit, transactional
from accounts.store import edges, follow_requests, pair_locks

from .follow_edges import create_follow


def insert_request(*, follower: int, followee: int) -> None:
    """Inside a transaction in which the two have met. Asking twice is asking once."""
    if follow_requests.has_request(follower=follower, followee=followee):
        return
    request = follow_requests.FollowRequest(id=new_id(), follower=follower, followee=followee)
    follow_requests.insert_request(request=request, at=timezone.now())
    send_on_commit(signals.follow_requested, follower=follower, followee=followee)


@transactional(retry_duplicate_keys=True)
def accept_follow_request(*, followee: int, follower: int) -> bool:
    """``follower`` follows from now on; False if they do not ask any more. A block has ended what was
    asked for, so there is nothing to accept then."""
    pair_locks.lock_pair(one=followee, other=follower)
    if not follow_requests.delete_request(follower=follower, followee=followee):
        return False
    if edges.find_edge(follower=follower, followee=followee) is None:
        create_follow(follower=follower, followee=followee)
    send_on_commit(signals.follow_request_accepted, follower=follower, followee=followee)
    return True


@transactional(retry_duplicate_keys=True)
def reject_follow_request(*, followee: int, follower: int) -> bool:
    """The request is gone, and nobody is told; False if there was none. They may ask again."""
    pair_locks.lock_pair(one=followee, other=follower)
    return delete_request(follower=follower, followee=followee)


def delete_request(*, follower: int, followee: int) -> bool:
    """Inside a transaction in which the two have met. False if there was none."""
    if not follow_requests.delete_request(follower=follower, followee=followee):
        return False
    send_on_commit(signals.follow_request_ended, follower=follower, followee=followee)
    return True
