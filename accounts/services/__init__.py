"""What people can do: follow and unfollow (``follows``), answer requests (``requests``), block, mute and
hide (``boundaries``), change their profile (``profiles``), invite others and sign up (``invitations``);
many at once: ``imports``.

Each function is one transaction and one announcement after its commit, and may be done twice.
"""

from .boundaries import (
    CannotBlock,
    CannotMute,
    block,
    hide_shares,
    mute,
    unblock,
    unmute,
)
from .follows import (
    CannotFollow,
    finish_backfill,
    follow,
    remove_follower,
    unfollow,
)
from .imports import (
    add_followers,
    add_people,
    announce_added_followers,
    finish_backfills,
)
from .invitations import (
    BY_INVITATION,
    CLOSED,
    OPEN,
    CannotInvite,
    NotInvited,
    invite,
    revoke_invitation,
    sign_up,
)
from .profiles import NameTaken, change_avatar, rename, set_private, update_profile
from .requests import accept_request, refuse_request

__all__ = [
    "BY_INVITATION",
    "CLOSED",
    "OPEN",
    "CannotBlock",
    "CannotFollow",
    "CannotInvite",
    "CannotMute",
    "NameTaken",
    "NotInvited",
    "accept_request",
    "add_followers",
    "add_people",
    "announce_added_followers",
    "block",
    "change_avatar",
    "finish_backfill",
    "finish_backfills",
    "follow",
    "hide_shares",
    "invite",
    "mute",
    "refuse_request",
    "remove_follower",
    "rename",
    "revoke_invitation",
    "set_private",
    "sign_up",
    "unblock",
    "unfollow",
    "unmute",
    "update_profile",
]
