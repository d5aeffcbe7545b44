"""Moderation actions on users, and their undo. Each action is safe to repeat.

Callers must check permissions.
"""

from contextlib import suppress
from string import ascii_lowercase, digits

from django.utils.crypto import get_random_string

from accounts.infra import pictures
from accounts.infra.transactions import transactional
from accounts.models import User
from accounts.profile_pictures import PictureKind, picture_path
from accounts.signals import status_changing
from accounts.usernames import is_placeholder

from .profiles import UsernameTaken, change_username

UserNames = dict[str, str]
"""The keys "username" and "display_name"; empty if there is no such user."""


def set_limited(*, uid: int, is_limited: bool) -> None:
    """Make a user's posts visible to followers only, or lift this limit."""
    status_changing.send(sender=None, uid=uid)
    _update_field(uid, "is_limited", is_limited)


def set_recommended(*, uid: int, is_recommended: bool) -> bool:
    """Recommend a user to others, or stop. Return False if nothing changed. Part of the transaction."""
    users = User.objects.filter(pk=uid, is_recommended=not is_recommended)
    return bool(users.update(is_recommended=is_recommended))


def user_names(*, uid: int) -> UserNames:
    """Return a user's names, or {} if there is no such user."""
    row = User.objects.filter(pk=uid).values("username", "display_name").first()
    return {field: str(value) for field, value in (row or {}).items()}


def reset_name(*, uid: int) -> None:
    """Replace a user's names with a placeholder. The user can choose another name."""
    _update_field(uid, "display_name", "")
    names = user_names(uid=uid)
    if not names or is_placeholder(username=names["username"], uid=uid):
        return
    placeholder = f"person_{uid}"
    while True:
        try:
            change_username(uid=uid, username=placeholder)
        except UsernameTaken:
            # Users could choose these names before they were reserved.
            suffix = get_random_string(3, ascii_lowercase + digits)
            placeholder = f"person_{uid}_{suffix}"
        else:
            return


def restore_name(*, uid: int, username: str = "", display_name: str = "") -> None:
    """Restore the names that ``reset_name`` replaced.

    Does not replace names that the user has chosen after the reset. Does not restore a username that
    another user has taken.
    """
    names = user_names(uid=uid)
    if not username or not is_placeholder(username=names.get("username", ""), uid=uid):
        return
    # The username comes last, because a repetition after an interruption stops at a restored username.
    if not names["display_name"]:
        _update_field(uid, "display_name", display_name)
    with suppress(UsernameTaken):
        change_username(uid=uid, username=username)


def picture_name(*, kind: PictureKind, uid: int) -> str:
    """Return the file name of a user's avatar or header picture, "" if there is none."""
    return User.objects.filter(pk=uid).values_list(kind.field, flat=True).first() or ""


def hide_profile_picture(*, kind: PictureKind, uid: int, name: str) -> None:
    """Remove a picture from a profile, and make its URL unavailable."""
    _swap_picture(kind, uid, name, "")
    if name:
        pictures.hide_picture(path=picture_path(kind=kind, name=name))


def restore_profile_picture(*, kind: PictureKind, uid: int, name: str) -> None:
    """Restore a picture that ``hide_profile_picture`` removed.

    If the user has a new picture, delete the removed picture instead.
    """
    if not name:
        return
    path = picture_path(kind=kind, name=name)
    pictures.restore_picture(path=path)
    if not _swap_picture(kind, uid, "", name) and picture_name(kind=kind, uid=uid) != name:
        pictures.delete_picture(path=path)


@transactional()
def _swap_picture(kind: PictureKind, uid: int, old: str, new: str) -> bool:
    user = User.objects.filter(pk=uid, **{kind.field: old}).first()
    if user is None:
        return False
    setattr(user, kind.field, new)
    user.save(update_fields=[kind.field])
    return True


@transactional()
def _update_field(uid: int, field: str, value: str | bool) -> None:
    user = User.objects.filter(pk=uid).first()
    if user is not None and getattr(user, field) != value:
        setattr(user, field, value)
        user.save(update_fields=[field])
