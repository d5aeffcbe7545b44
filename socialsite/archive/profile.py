"""Read the profile in an archive, and fill the empty parts of the importing user's profile with it."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from accounts.forms import ProfileForm, SingleLineField
from accounts.infra.pictures import BadPicture
from accounts.infra.plain_text import clean_text
from accounts.models import MAX_PROFILE_FIELD_LENGTH, MAX_PROFILE_FIELDS, User
from accounts.profile_pictures import AVATAR, HEADER, PictureKind, crop_picture
from accounts.services.profiles import change_picture, update_profile
from accounts.user_cards import ProfileField

from . import html_text
from .attachments import truncate
from .drafts import read_actor, text_in, value_in
from .media import ImportJob
from .site_urls import site_host, url_host
from .source import READ_ERRORS, Source

PICTURES = ((AVATAR, "avatar.webp", "icon"), (HEADER, "header.webp", "image"))
"""Kinds of profile pictures, their files in the zip, and their properties of the actor."""

_PICTURE_NAME = re.compile(r"(?:avatar|header)\.[A-Za-z]{1,5}", re.ASCII)
_MAX_NAME, _MAX_BIO = (
    ProfileForm.base_fields[name].max_length  # type: ignore[attr-defined]
    for name in ("display_name", "bio")
)


@dataclass(frozen=True, slots=True)
class ArchivedProfile:
    """The profile in an archive. ``pictures`` are ``(kind, file name in the archive)``."""

    display_name: str
    bio: str
    profile_fields: tuple[ProfileField, ...]
    is_bot: bool
    pictures: tuple[tuple[PictureKind, str], ...]


def read_profile(*, source: Source) -> ArchivedProfile:
    """Read ``actor.json``. Texts that are too long are cut. Raises BadArchive."""
    actor = read_actor(source=source)
    names = ((kind, text_in(actor.get(key), "url")) for kind, _file, key in PICTURES)
    return ArchivedProfile(
        display_name=_cut_line(text_in(actor, "name"), _MAX_NAME),
        bio=truncate(_read_bio(actor), _MAX_BIO),
        profile_fields=tuple(_read_fields(actor.get("attachment"))),
        is_bot=actor.get("type") == "Service",
        pictures=tuple(
            (kind, name)
            for kind, name in names
            if _PICTURE_NAME.fullmatch(name) and source.has(name)
        ),
    )


def import_profile(*, profile: ArchivedProfile, job: ImportJob) -> Counter[str]:
    """Fill the empty parts of the owner's profile. Safe to repeat."""
    owner = job.owner
    user = User.objects.get(pk=owner.pk)
    changes: dict[str, Any] = {
        name: value
        for name in ("display_name", "bio", "profile_fields", "is_bot")
        if (value := getattr(profile, name)) and not getattr(user, name)
    }
    update_profile(uid=owner.pk, **changes)
    counts = Counter(profile_parts=len(changes))
    for kind, file_name in profile.pictures:
        if getattr(user, kind.field):
            continue
        try:
            with job.source.open(file_name) as upload:
                picture = crop_picture(kind=kind, upload=upload, should_wait=True)
        except (*READ_ERRORS, BadPicture):
            counts["unreadable_pictures"] += 1
        else:
            change_picture(kind=kind, uid=owner.pk, picture=picture)
            counts["profile_parts"] += 1
    return +counts


def _read_bio(actor: dict[str, Any]) -> str:
    plain = value_in(actor, "source")
    if url_host(text_in(actor, "id")) == site_host() and text_in(plain, "content"):
        return clean_text(text_in(plain, "content")[: html_text.MAX_HTML_LENGTH])
    return html_text.html_to_text(html=text_in(actor, "summary"), host=site_host())


def _read_fields(attachments: Any) -> list[ProfileField]:
    fields = []
    for attachment in attachments if isinstance(attachments, list) else ():
        name = _cut_line(text_in(attachment, "name"), MAX_PROFILE_FIELD_LENGTH)
        value = html_text.html_to_text(html=text_in(attachment, "value"), host=site_host())
        value = _cut_line(value, MAX_PROFILE_FIELD_LENGTH)
        if name and value and value_in(attachment, "type") == "PropertyValue":
            fields.append(ProfileField(name, value))
    return fields[:MAX_PROFILE_FIELDS]


def _cut_line(text: str, max_length: int) -> str:
    line = SingleLineField().to_python(text[: html_text.MAX_HTML_LENGTH])
    return truncate(line, max_length)
