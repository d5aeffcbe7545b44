"""Requests to follow people who approve their followers, and the answers to them."""

from django.utils import timezone

from accounts import signals
from accounts.ids import new_id
from accounts.store import edges, pair_locks, requests
from accounts.transactions import transactional

from .announcing import announce
from .ties import tie


def ask(*, follower: int, followee: int) -> None:
    """Inside a transaction in which the two have met. Asking twice is asking once."""
    if requests.exists(follower=follower, followee=followee):
        return
    request = requests.Request(id=new_id(), follower=follower, followee=followee)
    requests.insert(request=request, at=timezone.now())
    announce(signals.follow_requested, follower=follower, followee=followee)


@transactional(retry_duplicate_keys=True)
def accept_request(*, followee: int, follower: int) -> bool:
    """``follower`` follows from now on; False if they do not ask any more. A block has ended what was
    asked for, so there is nothing to accept then."""
    pair_locks.meet(one=followee, other=follower)
    if not requests.delete(follower=follower, followee=followee):
        return False
    if edges.get(follower=follower, followee=followee) is None:
        tie(follower=follower, followee=followee)
    announce(signals.follow_request_accepted, follower=follower, followee=followee)
    return True


@transactional(retry_duplicate_keys=True)
def refuse_request(*, followee: int, follower: int) -> bool:
    """The request is gone, and nobody is told; False if there was none. They may ask again."""
    pair_locks.meet(one=followee, other=follower)
    return end_request(follower=follower, followee=followee)


def end_request(*, follower: int, followee: int) -> bool:
    """Inside a transaction in which the two have met. False if there was none."""
    if not requests.delete(follower=follower, followee=followee):
        return False
    announce(signals.follow_request_ended, follower=follower, followee=followee)
    return True
