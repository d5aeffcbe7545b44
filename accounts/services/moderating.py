"""What moderators do to people, and undo. Whether somebody may is asked above; each may be done twice."""

from contextlib import suppress

from accounts import avatars, pictures
from accounts.models import User
from accounts.transactions import transactional

from .profiles import NameTaken, rename

Names = dict[str, str]
"""``{username, display_name}``"""


def set_limited(*, uid: int, is_limited: bool) -> None:
    """Whether only followers see what the person does."""
    _change(uid, "is_limited", is_limited)


def names_of(*, uid: int) -> Names:
    found = User.objects.filter(pk=uid).values("username", "display_name").first()
    return {name: str(value) for name, value in (found or {}).items()}


def take_name(*, uid: int) -> None:
    """Call the person by their number, until they choose another name."""
    _change(uid, "display_name", "")
    if User.objects.filter(pk=uid).exists():
        rename(uid=uid, username=numbered(uid=uid))


def numbered(*, uid: int) -> str:
    return f"person_{uid}"


def give_name_back(*, uid: int, username: str = "", display_name: str = "") -> None:
    """Unless the person has chosen another name since; what somebody else is called now they do not get."""
    if names_of(uid=uid).get("username") != numbered(uid=uid) or not username:
        return
    with suppress(NameTaken):
        rename(uid=uid, username=username)
    _change(uid, "display_name", display_name)


def avatar_of(*, uid: int) -> str:
    """The name of the person's picture, "" if there is none."""
    return User.objects.filter(pk=uid).values_list("avatar", flat=True).first() or ""


def withhold_avatar(*, uid: int, avatar: str) -> None:
    """Show this picture no more, and let nobody get it by its address."""
    _swap_avatar(uid, avatar, "")
    if avatar:
        pictures.withhold(path=avatars.path(name=avatar))


def give_avatar_back(*, uid: int, avatar: str) -> None:
    """Unless the person has another one now."""
    if avatar:
        pictures.give_back(path=avatars.path(name=avatar))
    if not _swap_avatar(uid, "", avatar) and avatar and avatar_of(uid=uid) != avatar:
        pictures.delete(path=avatars.path(name=avatar))


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
