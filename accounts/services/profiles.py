"""Change a user's profile, username, privacy, time zone and defaults for new posts."""

from collections.abc import Sequence
from typing import IO, Any

from django.core.files.storage import default_storage
from django.db import IntegrityError

from accounts import signals
from accounts.infra import rate_limits
from accounts.infra.refusals import Refused
from accounts.infra.transactions import send_on_commit, transactional
from accounts.models import User
from accounts.profile_pictures import PictureKind, crop_picture, picture_path, save_picture
from accounts.user_cards import ProfileField

from .profile_links import changed_fields, check_due_at

MAX_DISMISSED = 20
"""Pages show at most the three newest announcements, so more ids are not needed."""


class UsernameTaken(Refused):
    """Another user has this username."""


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
    values: dict[str, Any] = {
        "display_name": display_name,
        "bio": bio,
        "is_bot": is_bot,
    }
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
    # Pages that link to the old address verify nothing.
    user.links_due_at = check_due_at(profile_fields=user.profile_fields)
    user.save(update_fields=["username", "links_due_at"])


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


@transactional()
def set_indexable(*, uid: int, is_indexable: bool) -> None:
    """Set whether search engines may list a user's profile and public posts."""
    user = User.objects.get(pk=uid)
    user.is_indexable = is_indexable
    user.save(update_fields=["is_indexable"])


@transactional()
def set_discoverable(*, uid: int, is_discoverable: bool) -> None:
    """Set whether the directory, suggestions and trends may show a user."""
    user = User.objects.get(pk=uid)
    user.is_discoverable = is_discoverable
    user.save(update_fields=["is_discoverable"])


def set_view_counts(*, uid: int, has_view_counts: bool) -> None:
    """Set whether views of a user's posts are counted. Past counts stay."""
    User.objects.filter(pk=uid).update(has_view_counts=has_view_counts)


@transactional()
def set_post_defaults(
    *,
    uid: int,
    visibility: str | None = None,
    language: str | None = None,
    quote_policy: str | None = None,
    has_sensitive_media: bool | None = None,
) -> None:
    """Set the values with which new posts of a user start. None leaves a value as it is."""
    user = User.objects.get(pk=uid)
    if visibility is not None:
        user.post_visibility = visibility
    if language is not None:
        user.post_language = language
    if quote_policy is not None:
        user.quote_policy = quote_policy
    if has_sensitive_media is not None:
        user.has_sensitive_media = has_sensitive_media
    names = ("post_visibility", "post_language", "quote_policy", "has_sensitive_media")
    user.save(update_fields=names)


def set_description_reminder(*, uid: int, reminder: str) -> None:
    """Set what happens if a user publishes pictures without descriptions on pages of the site."""
    User.objects.filter(pk=uid).update(description_reminder=reminder)


@transactional()
def dismiss_announcement(*, uid: int, announcement_id: int) -> None:
    """Record that a user has dismissed an announcement. Only the newest ``MAX_DISMISSED`` are kept."""
    user = User.objects.get(pk=uid)
    dismissed = {*user.dismissed_announcements, announcement_id}
    user.dismissed_announcements = sorted(dismissed)[-MAX_DISMISSED:]
    user.save(update_fields=["dismissed_announcements"])


def set_language(*, uid: int, language: str) -> None:
    """Set the language of a user's pages, mails and pushes. "" uses the language of the browser."""
    User.objects.filter(pk=uid).update(language=language)


def set_time_zone(*, uid: int, time_zone: str) -> None:
    """Set the time zone in which a user sees times. "" uses the time zone of the browser."""
    User.objects.filter(pk=uid).update(time_zone=time_zone)
    send_on_commit(signals.time_zone_changed, uid=uid)
