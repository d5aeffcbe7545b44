"""Change a user's profile, username, privacy, time zone and defaults for new posts."""

from collections.abc import Sequence
from typing import IO, Any

from django.core.files.storage import default_storage
from django.db import IntegrityError
from django.utils.translation import gettext as _

from accounts import signals, user_cards
from accounts.infra import rate_limits
from accounts.infra.refusals import Refused
from accounts.infra.transactions import send_on_commit, transactional
from accounts.models import User
from accounts.profile_pictures import PictureKind, crop_picture, picture_path, save_picture
from accounts.selectors import access_tokens
from accounts.store import users
from accounts.user_cards import ProfileField

from .profile_links import changed_fields, check_due_at

MAX_DISMISSED = 20
"""Pages show at most the three newest announcements, so more ids are not needed."""


class UsernameTaken(Refused):
    """Another user has this username. The message is for the user."""


@transactional()
def update_profile(
    *,
    uid: int,
    display_name: str | None = None,
    bio: str | None = None,
    profile_fields: Sequence[ProfileField] | None = None,
    is_bot: bool | None = None,
) -> None:
    """Change what a profile says. None leaves a value as it is."""
    values: dict[str, Any] = {"display_name": display_name, "bio": bio, "is_bot": is_bot}
    changes = {name: value for name, value in values.items() if value is not None}
    if not changes and profile_fields is None:
        return
    user = User.objects.get(pk=uid)
    if profile_fields is not None:
        new_fields = changed_fields(old=user.profile_fields, new=profile_fields)
        if new_fields != user.profile_fields:
            changes["links_due_at"] = check_due_at(profile_fields=new_fields)
        changes["profile_fields"] = new_fields
    for name, value in changes.items():
        setattr(user, name, value)
    user.save(update_fields=list(changes))


@transactional()
def change_username(*, uid: int, username: str) -> None:
    """Change a username. Raises UsernameTaken. Posts and lists show the new name at once."""
    user = User.objects.get(pk=uid)
    user.username = username.lower()
    # Pages that link to the old address verify nothing.
    user.links_due_at = check_due_at(profile_fields=user.profile_fields)
    try:
        user.save(update_fields=["username", "links_due_at"])
    except IntegrityError as error:
        raise UsernameTaken(_("This username is taken. Choose another one.")) from error


def prepare_picture(*, kind: PictureKind, uid: int, upload: IO[bytes]) -> bytes:
    """Count the upload, then decode it and return the cropped and re-encoded picture.

    Raises BadPicture, RateLimited, and TryLater while the decoder is busy. A rejected file also counts,
    because decoding it is just as expensive.
    """
    rate_limits.count_action(action="upload", subject=uid)
    return crop_picture(kind=kind, upload=upload)


def change_picture(*, kind: PictureKind, uid: int, picture: bytes | None) -> None:
    """Save a picture from ``prepare_picture``, or remove the current picture if ``picture`` is None.

    Deletes the old file.
    """
    name = "" if picture is None else save_picture(kind=kind, uid=uid, picture=picture)
    old_name = _set_picture(kind, uid, name)
    if old_name and old_name != name:
        default_storage.delete(picture_path(kind=kind, name=old_name))


@transactional()
def _set_picture(kind: PictureKind, uid: int, name: str) -> str:
    """Return the name of the previous picture."""
    user = User.objects.get(pk=uid)
    old_name: str = getattr(user, kind.field)
    setattr(user, kind.field, name)
    user.save(update_fields=[kind.field])
    return old_name


@transactional()
def set_private(*, uid: int, is_private: bool) -> None:
    """Set whether a user approves followers.

    Existing followers stay. If the user no longer approves followers, a task accepts the pending requests.
    """
    user = User.objects.get(pk=uid)
    user.is_private = is_private
    user.save(update_fields=["is_private"])
    if not is_private:
        send_on_commit(signals.unlocked, uid=uid)


def change_settings(*, uid: int, **changes: str | bool | None) -> None:
    """Change settings of a user by the names of their fields. None leaves a value as it is. One command.

    For ``is_private``, use ``set_private``.
    """
    known = {name: value for name, value in changes.items() if value is not None}
    if not known:
        return
    User.objects.filter(pk=uid).update(**known)
    access_tokens.clear_cache()
    if not known.keys().isdisjoint(users.CARD_FIELDS):
        user_cards.refresh_card(uid=uid)
    if "time_zone" in known:
        send_on_commit(signals.time_zone_changed, uid=uid)


@transactional()
def dismiss_announcement(*, uid: int, announcement_id: int) -> None:
    """Record that a user has dismissed an announcement. Only the newest ``MAX_DISMISSED`` are kept."""
    user = User.objects.get(pk=uid)
    dismissed = {*user.dismissed_announcements, announcement_id}
    user.dismissed_announcements = sorted(dismissed)[-MAX_DISMISSED:]
    user.save(update_fields=["dismissed_announcements"])
