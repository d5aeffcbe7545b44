"""Following: at once, or, where the followee approves followers, by a request (``requests``)."""

from django.core.cache import cache
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.selectors.profiles import is_private
from accounts.selectors.suggestions import dismissed_uids
from accounts.store import blocks_and_mutes, edges, follow_requests, pair_locks, relationship_kinds

from .follow_edges import create_follow, delete_follow_permanently
from .follow_requests import delete_request, insert_request


class CannotFollow(Refused):
    """Following is refused; the message is for the person."""


def follow_user(*, follower: int, followee: int) -> bool:
    """``follower`` follows ``followee`` from now on; False if they did already, or if the followee
    approves followers: then it is asked for.

    Raises CannotFollow for oneself, for people who are gone, and where either blocks the other;
    TooMany who follows very many in a day, also by asking.
    """
    if follower == followee:
        raise CannotFollow(_("You cannot follow yourself."))
    before = relationship_kinds.find_before_follow(follower=follower, followee=followee)
    if not before.of_kind(relationship_kinds.PRIVATE, relationship_kinds.PUBLIC):
        raise CannotFollow(_("This person is not here any more."))
    if before.of_kind(relationship_kinds.FOLLOWS):
        return False
    has_asked = bool(before.of_kind(relationship_kinds.REQUESTED))
    if before.of_kind(relationship_kinds.PRIVATE) and has_asked:
        return False
    with rate_limits.limited_action(action="follow", subject=follower) as counted:
        if before.of_kind(relationship_kinds.PRIVATE):
            _request(follower=follower, followee=followee)
            return False
        try:
            return _follow(follower=follower, followee=followee, has_asked=has_asked)
        except edges.AlreadyFollows:
            counted.is_done = False  # since a moment ago
            return False


@transactional(retry_duplicate_keys=True)
def _follow(*, follower: int, followee: int, has_asked: bool) -> bool:
    pair_locks.lock_pair(one=follower, other=followee)
    _refuse_if_apart(follower=follower, followee=followee)
    if is_private(uid=followee):  # since a moment ago
        insert_request(follower=follower, followee=followee)
        return False
    if has_asked:  # before the followee became public
        follow_requests.delete_request(follower=follower, followee=followee)
    create_follow(follower=follower, followee=followee)
    return True


@transactional(retry_duplicate_keys=True)
def _request(*, follower: int, followee: int) -> None:
    pair_locks.lock_pair(one=follower, other=followee)
    _refuse_if_apart(follower=follower, followee=followee)
    if edges.find_edge(follower=follower, followee=followee) is None:
        insert_request(follower=follower, followee=followee)


def _refuse_if_apart(*, follower: int, followee: int) -> None:
    kept = blocks_and_mutes.find_by_kind(owner=follower, other=followee)
    if blocks_and_mutes.BLOCK in kept:
        raise CannotFollow(_("You have blocked this person. Unblock them first."))
    if blocks_and_mutes.BLOCKED_BY in kept:
        raise CannotFollow(_("You cannot follow this person."))


@transactional(retry_duplicate_keys=True)
def unfollow_user(*, follower: int, followee: int) -> bool:
    """``follower`` follows ``followee`` no longer, nor asks to, nor will after unblocking; False if
    there was none of it. Acts at once on timelines."""
    pair_locks.lock_pair(one=follower, other=followee)
    has_ended = delete_follow_permanently(follower=follower, followee=followee)
    return delete_request(follower=follower, followee=followee) or has_ended


@transactional(retry_duplicate_keys=True)
def remove_follower(*, uid: int, follower: int) -> bool:
    """``follower`` follows ``uid`` no longer, and may ask or follow again; False if they did not."""
    pair_locks.lock_pair(one=uid, other=follower)
    return delete_follow_permanently(follower=follower, followee=uid)


def clear_pending_backfill(*, edge_id: int, follower: int, followee: int) -> None:
    """The feed has brought the followee's older posts over."""
    edges.clear_backfill(edge_id=edge_id, follower=follower, followee=followee)


# MERGED FROM accounts.services.follows: Suggestions that somebody does not want to see again.
DISMISSED_SECONDS = 180 * 86_400
MAX_DISMISSED = 400


def dismiss_suggestion(*, viewer: int, uid: int) -> None:
    """Not to be suggested for half a year. Of two at once one may come back: it can be sent away again."""
    kept = [one for one in dismissed_uids(viewer=viewer) if one != uid]
    cache.set(f"not_suggested:{viewer}", [*kept, uid][-MAX_DISMISSED:], DISMISSED_SECONDS)
