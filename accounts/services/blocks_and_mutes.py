"""What people keep from each other: blocking, muting, hiding somebody's shares.

Timelines ask for it when they are read, so all of it acts at once on what was delivered long ago, and
undoing it brings that back.
"""

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import signals
from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.infra.transactions import send_on_commit, transactional
from accounts.models import User
from accounts.store import blocks_and_mutes, edges, follow_requests, pair_locks

from .follow_edges import create_follow, delete_follow, delete_follow_permanently


class CannotBlock(Refused):
    """Blocking is refused; the message is for the person."""


class CannotMute(Refused):
    """Muting is refused; the message is for the person."""


def block_user(*, owner: int, other: int) -> bool:
    """Neither sees or follows the other from now on; False if it was so.

    The follow of the blocked person ends for good, also one that they had suspended by a block of
    their own. The owner's follow is suspended: ``unblock`` brings it back. Requests end both ways; a
    mute stays. Raises CannotBlock for oneself and for people who are gone.
    """
    if owner == other:
        raise CannotBlock(_("You cannot block yourself."))
    if not User.objects.filter(pk=other, is_active=True).exists():
        raise CannotBlock(_("This person is not here any more."))
    return _block(owner=owner, other=other)


@transactional(retry_duplicate_keys=True)
def _block(*, owner: int, other: int) -> bool:
    pair_locks.lock_pair(one=owner, other=other)
    if blocks_and_mutes.BLOCK in blocks_and_mutes.find_by_kind(owner=owner, other=other):
        return False
    delete_follow_permanently(follower=other, followee=owner)
    follow_requests.delete_request(follower=other, followee=owner)
    follow_requests.delete_request(follower=owner, followee=other)
    blocks_and_mutes.insert_block(
        block_id=new_id(),
        mirror_id=new_id(),
        owner=owner,
        other=other,
        at=timezone.now(),
        restores_follow=delete_follow(follower=owner, followee=other),
    )
    send_on_commit(signals.blocked, owner=owner, other=other)
    return True


@transactional(retry_duplicate_keys=True)
def unblock_user(*, owner: int, other: int) -> bool:
    """Undo a block and bring the owner's own follow back; False if there was none. Where the other
    blocks the owner, that block has ended the follow for good."""
    pair_locks.lock_pair(one=owner, other=other)
    kept = blocks_and_mutes.find_by_kind(owner=owner, other=other)
    if blocks_and_mutes.BLOCK not in kept:
        return False
    blocks_and_mutes.delete_block(owner=owner, other=other)
    if kept[blocks_and_mutes.BLOCK].restores_follow and blocks_and_mutes.BLOCKED_BY not in kept:
        create_follow(follower=owner, followee=other, is_restored=True)
    return True


def mute_user(*, owner: int, other: int, until: datetime | None) -> None:
    """Show the owner nothing by the other, until a moment or for good; a second mute replaces the end.

    The other is not told, and follows stay. Raises CannotMute for oneself.
    """
    if owner == other:
        raise CannotMute(_("You cannot mute yourself."))
    _mute(owner=owner, other=other, until=until)


@transactional(retry_duplicate_keys=True)
def _mute(*, owner: int, other: int, until: datetime | None) -> None:
    blocks_and_mutes.save_mute_or_hide(
        insert_id=new_id(),
        owner=owner,
        other=other,
        kind=blocks_and_mutes.MUTE,
        at=timezone.now(),
        expires_at=until,
    )
    send_on_commit(signals.muted, owner=owner, other=other)


@transactional()
def unmute_user(*, owner: int, other: int) -> bool:
    """False if there was no mute."""
    return blocks_and_mutes.delete_mute_or_hide(
        owner=owner, other=other, kind=blocks_and_mutes.MUTE
    )


@transactional(retry_duplicate_keys=True)
def hide_shares(*, owner: int, other: int, is_hidden: bool) -> bool:
    """Whether to leave out what the other, whom the owner follows, shares of others. False, and nothing
    is kept, if the owner does not follow them."""
    pair_locks.lock_pair(one=owner, other=other)
    if edges.find_edge(follower=owner, followee=other) is None:
        return False
    if is_hidden:
        blocks_and_mutes.save_mute_or_hide(
            insert_id=new_id(),
            owner=owner,
            other=other,
            kind=blocks_and_mutes.HIDE_SHARES,
            at=timezone.now(),
        )
    else:
        blocks_and_mutes.delete_mute_or_hide(
            owner=owner, other=other, kind=blocks_and_mutes.HIDE_SHARES
        )
    return True
