"""What people keep from each other: blocking, muting, hiding somebody's shares.

Timelines ask for it when they are read, so all of it acts at once on what was delivered long ago, and
undoing it brings that back.
"""

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import signals
from accounts.ids import new_id
from accounts.models import User
from accounts.refusals import Refused
from accounts.store import boundaries, edges, pair_locks, requests
from accounts.transactions import transactional

from .announcing import announce
from .ties import end_for_good, tie, untie


class CannotBlock(Refused):
    """Blocking is refused; the message is for the person."""


class CannotMute(Refused):
    """Muting is refused; the message is for the person."""


def block(*, owner: int, other: int) -> bool:
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
    pair_locks.meet(one=owner, other=other)
    if boundaries.BLOCK in boundaries.towards(owner=owner, other=other):
        return False
    end_for_good(follower=other, followee=owner)
    requests.delete(follower=other, followee=owner)
    requests.delete(follower=owner, followee=other)
    boundaries.block(
        block_id=new_id(),
        mirror_id=new_id(),
        owner=owner,
        other=other,
        at=timezone.now(),
        suspended=untie(follower=owner, followee=other),
    )
    announce(signals.blocked, owner=owner, other=other)
    return True


@transactional(retry_duplicate_keys=True)
def unblock(*, owner: int, other: int) -> bool:
    """Undo a block and bring the owner's own follow back; False if there was none. Where the other
    blocks the owner, that block has ended the follow for good."""
    pair_locks.meet(one=owner, other=other)
    kept = boundaries.towards(owner=owner, other=other)
    if boundaries.BLOCK not in kept:
        return False
    boundaries.unblock(owner=owner, other=other)
    if kept[boundaries.BLOCK].suspended and boundaries.BLOCKED_BY not in kept:
        tie(follower=owner, followee=other, is_restored=True)
    return True


def mute(*, owner: int, other: int, until: datetime | None) -> None:
    """Show the owner nothing by the other, until a moment or for good; a second mute replaces the end.

    The other is not told, and follows stay. Raises CannotMute for oneself.
    """
    if owner == other:
        raise CannotMute(_("You cannot mute yourself."))
    _mute(owner=owner, other=other, until=until)


@transactional(retry_duplicate_keys=True)
def _mute(*, owner: int, other: int, until: datetime | None) -> None:
    boundaries.put(
        boundary_id=new_id(),
        owner=owner,
        other=other,
        kind=boundaries.MUTE,
        at=timezone.now(),
        until=until,
    )
    announce(signals.muted, owner=owner, other=other)


@transactional()
def unmute(*, owner: int, other: int) -> bool:
    """False if there was no mute."""
    return boundaries.delete(owner=owner, other=other, kind=boundaries.MUTE)


@transactional(retry_duplicate_keys=True)
def hide_shares(*, owner: int, other: int, hidden: bool) -> bool:
    """Whether to leave out what the other, whom the owner follows, shares of others. False, and nothing
    is kept, if the owner does not follow them."""
    pair_locks.meet(one=owner, other=other)
    if edges.get(follower=owner, followee=other) is None:
        return False
    if hidden:
        boundaries.put(
            boundary_id=new_id(),
            owner=owner,
            other=other,
            kind=boundaries.HIDE_SHARES,
            at=timezone.now(),
        )
    else:
        boundaries.delete(owner=owner, other=other, kind=boundaries.HIDE_SHARES)
    return True
