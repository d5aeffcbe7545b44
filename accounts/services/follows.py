"""Following: at once, or, where the followee approves followers, by a request (``requests``)."""

from django.utils.translation import gettext as _

from accounts import limits, selectors
from accounts.refusals import Refused
from accounts.store import boundaries, edges, pair_locks, requests, standings
from accounts.transactions import transactional

from .requests import ask, end_request
from .ties import end_for_good, tie


class CannotFollow(Refused):
    """Following is refused; the message is for the person."""


def follow(*, follower: int, followee: int) -> bool:
    """``follower`` follows ``followee`` from now on; False if they did already, or if the followee
    approves followers: then it is asked for.

    Raises CannotFollow for oneself, for people who are gone, and where either blocks the other;
    TooMany who follows very many in a day, also by asking.
    """
    if follower == followee:
        raise CannotFollow(_("You cannot follow yourself."))
    before = standings.before_follow(follower=follower, followee=followee)
    if not before.of(standings.PRIVATE, standings.PUBLIC):
        raise CannotFollow(_("This person is not here any more."))
    if before.of(standings.FOLLOWS):
        return False
    has_asked = bool(before.of(standings.REQUESTED))
    if before.of(standings.PRIVATE) and has_asked:
        return False
    with limits.counted(action="follow", who=follower) as counted:
        if before.of(standings.PRIVATE):
            _request(follower=follower, followee=followee)
            return False
        try:
            return _follow(follower=follower, followee=followee, has_asked=has_asked)
        except edges.AlreadyFollows:
            counted.stands = False  # since a moment ago
            return False


@transactional(retry_duplicate_keys=True)
def _follow(*, follower: int, followee: int, has_asked: bool) -> bool:
    pair_locks.meet(one=follower, other=followee)
    _refuse_if_apart(follower=follower, followee=followee)
    if selectors.is_private(uid=followee):  # since a moment ago
        ask(follower=follower, followee=followee)
        return False
    if has_asked:  # before the followee became public
        requests.delete(follower=follower, followee=followee)
    tie(follower=follower, followee=followee)
    return True


@transactional(retry_duplicate_keys=True)
def _request(*, follower: int, followee: int) -> None:
    pair_locks.meet(one=follower, other=followee)
    _refuse_if_apart(follower=follower, followee=followee)
    if edges.get(follower=follower, followee=followee) is None:
        ask(follower=follower, followee=followee)


def _refuse_if_apart(*, follower: int, followee: int) -> None:
    kept = boundaries.towards(owner=follower, other=followee)
    if boundaries.BLOCK in kept:
        raise CannotFollow(_("You have blocked this person. Unblock them first."))
    if boundaries.BLOCKED_BY in kept:
        raise CannotFollow(_("You cannot follow this person."))


@transactional(retry_duplicate_keys=True)
def unfollow(*, follower: int, followee: int) -> bool:
    """``follower`` follows ``followee`` no longer, nor asks to, nor will after unblocking; False if
    there was none of it. Acts at once on timelines."""
    pair_locks.meet(one=follower, other=followee)
    has_ended = end_for_good(follower=follower, followee=followee)
    return end_request(follower=follower, followee=followee) or has_ended


@transactional(retry_duplicate_keys=True)
def remove_follower(*, uid: int, follower: int) -> bool:
    """``follower`` follows ``uid`` no longer, and may ask or follow again; False if they did not."""
    pair_locks.meet(one=uid, other=follower)
    return end_for_good(follower=follower, followee=uid)


def finish_backfill(*, edge_id: int, follower: int, followee: int) -> None:
    """The feed has brought the followee's older posts over."""
    edges.clear_backfill(edge_id=edge_id, follower=follower, followee=followee)
