"""What people can do: follow and unfollow (``follows``), answer requests (``requests``), block, mute and
hide (``boundaries``), change their profile (``profiles``), invite others and sign up (``invitations``), end
log-ins (``sessions``) and what ``apps`` may do, go
away and come back (``standing``), be erased (``erasing``); what moderators do to
them: ``moderating``; many at once: ``imports``.

Each function is one transaction and one announcement after its commit, and may be done twice.
"""

from .apps import (
    GrantedToken,
    RegisteredApp,
    delete_unused_apps,
    grant_token,
    register_app,
    revoke_all_apps,
    revoke_app,
)
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
from .moderating import (
    avatar_of,
    give_avatar_back,
    give_name_back,
    names_of,
    set_limited,
    take_name,
    withhold_avatar,
)
from .profiles import (
    NameTaken,
    change_avatar,
    read_avatar,
    rename,
    set_private,
    set_view_counts,
    update_profile,
)
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
from .suggestions import dismiss_suggestion

__all__ = [
    "BY_INVITATION",
    "CLOSED",
    "OPEN",
    "CannotBlock",
    "CannotFollow",
    "CannotInvite",
    "CannotMute",
    "GrantedToken",
    "NameTaken",
    "NotInvited",
    "RegisteredApp",
    "accept_request",
    "add_followers",
    "add_people",
    "announce_added_followers",
    "ask_to_erase",
    "avatar_of",
    "block",
    "change_avatar",
    "come_back",
    "deactivate",
    "delete_unused_apps",
    "dismiss_suggestion",
    "end_oldest_sessions",
    "end_session",
    "end_sessions",
    "erase_person",
    "finish_backfill",
    "finish_backfills",
    "follow",
    "give_avatar_back",
    "give_name_back",
    "grant_token",
    "hide_shares",
    "invite",
    "keep_account",
    "mute",
    "names_of",
    "people_to_erase",
    "read_avatar",
    "refuse_request",
    "register_app",
    "remove_follower",
    "rename",
    "revoke_all_apps",
    "revoke_app",
    "revoke_invitation",
    "set_limited",
    "set_private",
    "set_view_counts",
    "sign_up",
    "suspend_person",
    "take_name",
    "unblock",
    "unfollow",
    "unmute",
    "unsuspend_person",
    "update_profile",
    "withhold_avatar",
]
