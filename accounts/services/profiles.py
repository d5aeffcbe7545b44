"""Change a user's names, bio, avatar, privacy and time zone."""

from typing import IO

from django.core.files.storage import default_storage
from django.db import IntegrityError

from accounts import avatars, signals
from accounts.infra import rate_limits
from accounts.infra.refusals import Refused
from accounts.infra.transactions import send_on_commit, transactional
from accounts.models import User


class UsernameTaken(Refused):
    """Another user has this username."""


@transactional()
def update_profile(*, uid: int, display_name: str, bio: str) -> None:
    user = User.objects.get(pk=uid)
    user.display_name, user.bio = display_name, bio
    user.save(update_fields=["display_name", "bio"])


def change_username(*, uid: int, username: str) -> None:
    """Change a username. Raises UsernameTaken. Posts and lists show the new name at once."""
    try:
        _set_username(uid=uid, username=username.lower())
    except IntegrityError as error:
        raise UsernameTaken(username) from error


@transactional()
def _set_username(*, uid: int, username: str) -> None:
    user = User.objects.get(pk=uid)
    user.username = username
    user.save(update_fields=["username"])


def prepare_avatar(*, uid: int, upload: IO[bytes]) -> bytes:
    """Count the upload, then decode it and return the cropped and re-encoded picture.

    Raises BadPicture, RateLimited, and TryLater while the decoder is busy. A rejected file also counts,
    because decoding it is just as expensive.
    """
    rate_limits.count_action(action="upload", subject=uid)
    return avatars.crop_avatar(upload=upload)


def change_avatar(*, uid: int, picture: bytes | None) -> None:
    """Save a picture from ``prepare_avatar`` as the avatar. Pass None to restore the identicon.

    Deletes the old file.
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
    """Set whether a user approves followers. Existing followers and pending requests stay."""
    user = User.objects.get(pk=uid)
    user.is_private = is_private
    user.save(update_fields=["is_private"])


@transactional()
def set_indexable(*, uid: int, is_indexable: bool) -> None:
    """Set whether search engines may list a user's profile and public posts."""
    user = User.objects.get(pk=uid)
    user.is_indexable = is_indexable
    user.save(update_fields=["is_indexable"])


def set_view_counts(*, uid: int, has_view_counts: bool) -> None:
    """Set whether views of a user's posts are counted. Past counts stay."""
    User.objects.filter(pk=uid).update(has_view_counts=has_view_counts)


def set_time_zone(*, uid: int, time_zone: str) -> None:
    """Set the time zone in which a user sees times. "" uses the time zone of the browser."""
    User.objects.filter(pk=uid).update(time_zone=time_zone)
    send_on_commit(signals.time_zone_changed, uid=uid)
