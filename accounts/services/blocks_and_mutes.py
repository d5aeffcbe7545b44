"""Block and mute users, and hide them from the home timeline.

Timelines check blocks and mutes at read time. So a block or mute also hides older posts at once, and
undoing it shows these posts again.
"""

from collections.abc import Iterable
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import signals
from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.infra.transactions import send_on_commit, transactional
from accounts.models import User
from accounts.store import blocks_and_mutes, edges, follow_requests, pair_locks

from .follow_requests import create_follow, delete_follow, delete_follow_permanently


def block_user(*, owner: int, other: int) -> bool:
    """Make ``owner`` block ``other``. Afterwards neither user sees or follows the other.

    * The other user's follow of the owner is deleted permanently. If the other user blocked the owner
      earlier, lifting that block no longer restores the follow.
    * The owner's follow of the other user is deleted. ``unblock_user`` restores it.
    * Follow requests in both directions are deleted. Mutes remain.

    Return False if the block already exists. Raises Refused if ``other`` is the owner or is inactive.
    """
    if owner == other:
        raise Refused(_("You cannot block yourself."))
    if not User.objects.filter(pk=other, is_active=True).exists():
        raise Refused(_("This account is no longer available."))
    return _insert_block(owner=owner, other=other)


@transactional(retry_duplicate_keys=True)
def _insert_block(*, owner: int, other: int) -> bool:
    pair_locks.lock_pair(uid=owner, other_uid=other)
    if blocks_and_mutes.BLOCK in blocks_and_mutes.find_by_kind(owner=owner, other=other):
        return False
    delete_follow_permanently(follower=other, followee=owner)
    follow_requests.delete_request(follower=other, followee=owner)
    if follow_requests.delete_request(follower=owner, followee=other):
        blocks_and_mutes.delete_follow_settings(owner=owner, other=other)
    blocks_and_mutes.insert_block(
        block_id=new_id(),
        mirror_id=new_id(),
        owner=owner,
        other=other,
        at=timezone.now(),
        restores_follow=delete_follow(follower=owner, followee=other),
    )
    edges.conflict_with_new_edges(uid=owner, other_uid=other)
    send_on_commit(signals.blocked, owner=owner, other=other)
    return True


@transactional(retry_duplicate_keys=True)
def unblock_user(*, owner: int, other: int) -> bool:
    """Unblock a user and restore the owner's follow. Return False if there was no block.

    If the other user also blocks the owner, that block has deleted the follow permanently.
    """
    pair_locks.lock_pair(uid=owner, other_uid=other)
    by_kind = blocks_and_mutes.find_by_kind(owner=owner, other=other)
    if blocks_and_mutes.BLOCK not in by_kind:
        return False
    blocks_and_mutes.delete_block(owner=owner, other=other)
    restores_follow = by_kind[blocks_and_mutes.BLOCK].restores_follow
    if restores_follow and blocks_and_mutes.BLOCKED_BY not in by_kind:
        create_follow(follower=owner, followee=other, is_restored=True)
    return True


@transactional(retry_duplicate_keys=True)
def mute_user(
    *, owner: int, other: int, until: datetime | None, shows_notifications: bool = False
) -> None:
    """Mute a user until a time, or permanently if the time is None.

    A second mute replaces the first. The muted user is not notified, and follows stay. With
    ``shows_notifications``, the owner still gets notifications about the user. Raises Refused for
    oneself.
    """
    if owner == other:
        raise Refused(_("You cannot mute yourself."))
    blocks_and_mutes.save_mute(
        insert_id=new_id(),
        owner=owner,
        other=other,
        at=timezone.now(),
        expires_at=until,
        shows_notifications=shows_notifications,
    )
    if not shows_notifications:
        send_on_commit(signals.notifications_muted, owner=owner, other=other)


@transactional()
def unmute_user(*, owner: int, other: int) -> bool:
    """Unmute a user. Return False if there was no mute."""
    return blocks_and_mutes.delete_mute(owner=owner, other=other)


@transactional(retry_duplicate_keys=True)
def set_hidden_from_home(*, owner: int, hidden: Iterable[int], shown: Iterable[int]) -> None:
    """Hide users from the owner's home timeline, and show others again. Safe to repeat.

    The posts stay in inboxes and everywhere else, so showing a user again also shows older posts.
    """
    if ids_by_uid := {uid: new_id() for uid in hidden if uid != owner}:
        blocks_and_mutes.hide_from_home(ids_by_uid=ids_by_uid, owner=owner, at=timezone.now())
    if shown_uids := list(shown):
        blocks_and_mutes.show_in_home(owner=owner, uids=shown_uids)
