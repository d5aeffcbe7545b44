"""Follow and unfollow users. Following a user who approves followers sends a request instead."""

from collections.abc import Iterable
from contextlib import suppress

from django.core.cache import cache
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.selectors.profiles import is_private
from accounts.selectors.suggestions import dismissed_key, dismissed_uids
from accounts.store import blocks_and_mutes, edges, follow_requests, pair_locks, relationship_kinds
from accounts.store.edges import clear_backfill as clear_backfill

from .follow_requests import (
    create_follow,
    delete_follow_permanently,
    delete_request,
    insert_request,
)

DISMISSED_SECONDS = 180 * 86_400
"""How long a dismissed user is not suggested again, in seconds (half a year)."""

MAX_DISMISSED = 400


class CannotFollow(Refused):
    """Following is refused; the message is for the user."""


def follow_user(*, follower: int, followee: int) -> bool:
    """Follow a user, or send a request if the followee approves followers.

    Returns True for a new follow, False for a request or an existing follow. Raises CannotFollow for
    oneself, for inactive users, and if either user blocks the other. Raises RateLimited after too many
    follows and requests in a day.
    """
    if follower == followee:
        raise CannotFollow(_("You cannot follow yourself."))
    before = relationship_kinds.find_before_follow(follower=follower, followee=followee)
    if not before.of_kind(relationship_kinds.PRIVATE, relationship_kinds.PUBLIC):
        raise CannotFollow(_("This account is no longer available."))
    if before.of_kind(relationship_kinds.FOLLOWS):
        return False
    has_requested = bool(before.of_kind(relationship_kinds.REQUESTED))
    if before.of_kind(relationship_kinds.PRIVATE) and has_requested:
        return False
    with rate_limits.limited_action(action="follow", subject=follower) as counted:
        if before.of_kind(relationship_kinds.PRIVATE):
            _insert_request(follower=follower, followee=followee)
            return False
        try:
            return _create_follow(follower=follower, followee=followee, has_requested=has_requested)
        except edges.AlreadyFollows:
            counted.is_done = False  # a concurrent call created the follow
            return False


def follow_users(*, follower: int, followees: Iterable[int]) -> int:
    """Follow several users, or send requests to those who approve followers. Safe to repeat.

    Skips users who cannot be followed. Returns the number of the others, with existing follows. Raises
    RateLimited after too many follows in a day. The follows before that stay.
    """
    count = 0
    for followee in dict.fromkeys(followees):
        with suppress(CannotFollow):
            follow_user(follower=follower, followee=followee)
            count += 1
    return count


@transactional(retry_duplicate_keys=True)
def _create_follow(*, follower: int, followee: int, has_requested: bool) -> bool:
    pair_locks.lock_pair(uid=follower, other_uid=followee)
    _refuse_if_blocked(follower=follower, followee=followee)
    if is_private(uid=followee):  # the followee became private after the first check
        insert_request(follower=follower, followee=followee)
        return False
    notify = False
    if has_requested:  # the request is left over from a time when the followee was private
        notify = follow_requests.has_notify(follower=follower, followee=followee)
        follow_requests.delete_request(follower=follower, followee=followee)
    create_follow(follower=follower, followee=followee, notify=notify)
    return True


@transactional(retry_duplicate_keys=True)
def _insert_request(*, follower: int, followee: int) -> None:
    pair_locks.lock_pair(uid=follower, other_uid=followee)
    _refuse_if_blocked(follower=follower, followee=followee)
    if edges.find_edge(follower=follower, followee=followee) is None:
        insert_request(follower=follower, followee=followee)


def _refuse_if_blocked(*, follower: int, followee: int) -> None:
    by_kind = blocks_and_mutes.find_by_kind(owner=follower, other=followee)
    if blocks_and_mutes.BLOCK in by_kind:
        raise CannotFollow(_("You have blocked this person. Unblock them first."))
    if blocks_and_mutes.BLOCKED_BY in by_kind:
        raise CannotFollow(_("You cannot follow this person."))


@transactional(retry_duplicate_keys=True)
def unfollow_user(*, follower: int, followee: int) -> bool:
    """Delete a follow or follow request, so that no unblock restores the follow.

    Return False if there was nothing to delete. Timelines leave out the followee's posts at once.
    """
    pair_locks.lock_pair(uid=follower, other_uid=followee)
    was_deleted = delete_follow_permanently(follower=follower, followee=followee)
    return delete_request(follower=follower, followee=followee) or was_deleted


@transactional(retry_duplicate_keys=True)
def remove_follower(*, uid: int, follower: int) -> bool:
    """Remove a follower of ``uid``. Return False if ``follower`` did not follow.

    The removed user may follow again.
    """
    pair_locks.lock_pair(uid=uid, other_uid=follower)
    return delete_follow_permanently(follower=follower, followee=uid)


def dismiss_suggestion(*, viewer: int, uid: int) -> None:
    """Stop suggesting a user for ``DISMISSED_SECONDS``.

    If two calls run at once, one dismissal may be lost. The viewer can dismiss the user again.
    """
    other_uids = [dismissed for dismissed in dismissed_uids(viewer=viewer) if dismissed != uid]
    uids = [*other_uids, uid][-MAX_DISMISSED:]
    cache.set(dismissed_key(uid=viewer), uids, DISMISSED_SECONDS)
