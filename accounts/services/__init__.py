"""What people can do: follow and unfollow (``follows``), answer requests (``requests``), block, mute and
hide (``boundaries``), change their profile (``profiles``), end log-ins (``sessions``), go away and come
back (``standing``), be erased (``erasing``); many at once: ``imports``.

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
from .erasing import erase_person, people_to_erase
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
from .profiles import NameTaken, change_avatar, rename, set_private, update_profile
from .requests import accept_request, refuse_request
from .sessions import end_oldest_sessions, end_session, end_sessions
from .standing import (
    ask_to_erase,
    come_back,
    deactivate,
    keep_account,
    suspend_person,
    unsuspend_person,
)

__all__ = [
    "CannotBlock",
    "CannotFollow",
    "CannotMute",
    "NameTaken",
    "accept_request",
    "add_followers",
    "add_people",
    "announce_added_followers",
    "ask_to_erase",
    "block",
    "change_avatar",
    "come_back",
    "deactivate",
    "end_oldest_sessions",
    "end_session",
    "end_sessions",
    "erase_person",
    "finish_backfill",
    "finish_backfills",
    "follow",
    "hide_shares",
    "keep_account",
    "mute",
    "people_to_erase",
    "refuse_request",
    "remove_follower",
    "rename",
    "set_private",
    "suspend_person",
    "unblock",
    "unfollow",
    "unmute",
    "unsuspend_person",
    "update_profile",
]
