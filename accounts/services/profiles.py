"""What people say about themselves, and who may follow them without being asked."""

from typing import IO

from django.core.files.storage import default_storage
from django.db import IntegrityError

from accounts import avatars
from accounts.infra import rate_limits
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User


class UsernameTaken(Refused):
    """Somebody else has this user name."""


@transactional()
def update_profile(*, uid: int, display_name: str, bio: str) -> None:
    user = User.objects.get(pk=uid)
    user.display_name, user.bio = display_name, bio
    user.save(update_fields=["display_name", "bio"])


def change_username(*, uid: int, username: str) -> None:
    """Give the person another user name; posts and lists show it at once. Raises NameTaken."""
    try:
        _rename(uid=uid, username=username.lower())
    except IntegrityError as error:
        raise UsernameTaken(username) from error


@transactional()
def _rename(*, uid: int, username: str) -> None:
    user = User.objects.get(pk=uid)
    user.username = username
    user.save(update_fields=["username"])


def prepare_avatar(*, uid: int, upload: IO[bytes]) -> bytes:
    """Count the upload of a user's picture, then decode it and write it anew.

    Raises BadPicture, TooMany, and TryLater while the decoder is busy. An upload that is no picture counts:
    finding out costs as much.
    """
    rate_limits.count_action(action="upload", subject=uid)
    return avatars.crop_avatar(upload=upload)


def change_avatar(*, uid: int, picture: bytes | None) -> None:
    """Show this picture (of ``read_avatar``) from now on, or with None the drawn one.

    The old file is deleted.
    """
    name = "" if picture is None else avatars.save_avatar(uid=uid, picture=picture)
    old = _set_avatar(uid=uid, name=name)
    if old and old != name:
        default_storage.delete(avatars.avatar_path(name=old))


@transactional()
def _set_avatar(*, uid: int, name: str) -> str:
    user = User.objects.get(pk=uid)
    old, user.avatar = user.avatar, name
    user.save(update_fields=["avatar"])
    return old


@transactional()
def set_private(*, uid: int, is_private: bool) -> None:
    """Whether this person approves their followers. Those there are stay, and so do pending requests."""
    user = User.objects.get(pk=uid)
    user.is_private = is_private
    user.save(update_fields=["is_private"])


def set_view_counts(*, uid: int, has_view_counts: bool) -> None:
    """Switch the counting of views of this user's posts on or off. Numbers of the past stay."""
    User.objects.filter(pk=uid).update(has_view_counts=has_view_counts)
