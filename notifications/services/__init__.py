"""What becomes of notifications: people are told (``telling``) of what happens (``events``) or not any more
(``withdrawing``), and say what they have read, do not want to see (``reading``), or to hear (``choosing``).

Each function is one write for each thousand readers, and may be done twice.
"""

from .choosing import (
    choose,
    choose_mail,
    choose_push,
    follow_thread,
    mute_thread,
    stop_mails,
    unfollow_thread,
    unmute_thread,
)
from .devices import (
    IN_SESSION,
    add_app_device,
    add_device,
    change_app_device,
    remove_app_device,
    remove_device,
)
from .presence import note_presence
from .reading import (
    clear,
    clear_all,
    dismiss,
    dismiss_held,
    dismiss_old,
    let_person_through,
    let_through,
    mark_read,
    mark_seen,
    mark_seen_up_to,
    mark_unread,
    restore,
)
from .telling import tell
from .tidying import expire, seal

__all__ = [
    "IN_SESSION",
    "add_app_device",
    "add_device",
    "change_app_device",
    "choose",
    "choose_mail",
    "choose_push",
    "clear",
    "clear_all",
    "dismiss",
    "dismiss_held",
    "dismiss_old",
    "expire",
    "follow_thread",
    "let_person_through",
    "let_through",
    "mark_read",
    "mark_seen",
    "mark_seen_up_to",
    "mark_unread",
    "mute_thread",
    "note_presence",
    "remove_app_device",
    "remove_device",
    "restore",
    "seal",
    "stop_mails",
    "tell",
    "unfollow_thread",
    "unmute_thread",
]
