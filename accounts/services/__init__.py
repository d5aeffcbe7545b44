"""What people can do: follow and unfollow (``follows``), answer requests (``requests``), block, mute and
hide (``boundaries``), change their profile (``profiles``); what moderators do to them: ``moderating``; many
at once: ``imports``.

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
from .moderating import (
    avatar_of,
    give_avatar_back,
    give_name_back,
    names_of,
    set_limited,
    take_name,
    withhold_avatar,
)
from .profiles import NameTaken, change_avatar, rename, set_private, update_profile
from .requests import accept_request, refuse_request

__all__ = [
    "CannotBlock",
    "CannotFollow",
    "CannotMute",
    "NameTaken",
    "accept_request",
    "add_followers",
    "add_people",
    "announce_added_followers",
    "avatar_of",
    "block",
    "change_avatar",
    "finish_backfill",
    "finish_backfills",
    "follow",
    "give_avatar_back",
    "give_name_back",
    "hide_shares",
    "mute",
    "names_of",
    "refuse_request",
    "remove_follower",
    "rename",
    "set_limited",
    "set_private",
    "take_name",
    "unblock",
    "unfollow",
    "unmute",
    "update_profile",
    "withhold_avatar",
]
