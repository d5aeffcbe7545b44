"""What moderators do to people, and undo. Whether somebody may is asked above; each may be done twice."""

from contextlib import suppress

from accounts import avatars
from accounts.infra import pictures
from accounts.infra.transactions import transactional
from accounts.models import User

from .profiles import UsernameTaken, change_username

UserNames = dict[str, str]
"""``{username, display_name}``"""


def set_limited(*, uid: int, is_limited: bool) -> None:
    """Whether only followers see what the person does."""
    _change(uid, "is_limited", is_limited)


def user_names(*, uid: int) -> UserNames:
    found = User.objects.filter(pk=uid).values("username", "display_name").first()
    return {name: str(value) for name, value in (found or {}).items()}


def reset_name(*, uid: int) -> None:
    """Call the person by their number, until they choose another name."""
    _change(uid, "display_name", "")
    if User.objects.filter(pk=uid).exists():
        change_username(uid=uid, username=placeholder_username(uid=uid))


def placeholder_username(*, uid: int) -> str:
    return f"person_{uid}"


def restore_name(*, uid: int, username: str = "", display_name: str = "") -> None:
    """Unless the person has chosen another name since; what somebody else is called now they do not get."""
    if user_names(uid=uid).get("username") != placeholder_username(uid=uid) or not username:
        return
    with suppress(UsernameTaken):
        change_username(uid=uid, username=username)
    _change(uid, "display_name", display_name)


def avatar_name(*, uid: int) -> str:
    """The name of the person's picture, "" if there is none."""
    return User.objects.filter(pk=uid).values_list("avatar", flat=True).first() or ""


def hide_avatar(*, uid: int, avatar: str) -> None:
    """Show this picture no more, and let nobody get it by its address."""
    _swap_avatar(uid, avatar, "")
    if avatar:
        pictures.hide_picture(path=avatars.avatar_path(name=avatar))


def restore_avatar(*, uid: int, avatar: str) -> None:
    """Unless the person has another one now."""
    if avatar:
        pictures.restore_picture(path=avatars.avatar_path(name=avatar))
    if not _swap_avatar(uid, "", avatar) and avatar and avatar_name(uid=uid) != avatar:
        pictures.delete_picture(path=avatars.avatar_path(name=avatar))


@transactional()
def _swap_avatar(uid: int, old: str, new: str) -> bool:
    user = User.objects.filter(pk=uid, avatar=old).first()
    if user is None:
        return False
    user.avatar = new
    user.save(update_fields=["avatar"])
    return True


@transactional()
def _change(uid: int, field: str, value: str | bool) -> None:
    user = User.objects.filter(pk=uid).first()
    if user is not None and getattr(user, field) != value:
        setattr(user, field, value)
        user.save(update_fields=[field])
