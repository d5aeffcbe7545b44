"""Read and import the profile, and what an archive says about other users, lists and hashtags.

``following_accounts.csv`` has a row for each followed user, and ``lists.csv`` a row ``title, handle`` for
each member, as in Mastodon. ``settings.json`` has what these formats cannot express: the properties of each
list, featured users and hashtags. ``private_notes.csv`` may be long, so its rows are read one at a time.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404

from accounts.forms import PlainTextField, ProfileForm, SingleLineField
from accounts.infra.pictures import BadPicture
from accounts.infra.refusals import Refused
from accounts.models import MAX_PROFILE_FIELD_LENGTH, MAX_PROFILE_FIELDS, User
from accounts.profile_pictures import AVATAR, HEADER, PictureKind, crop_picture
from accounts.selectors.follow_graph import followees_among
from accounts.services import follow_settings
from accounts.services.follows import CannotFollow, follow_user
from accounts.services.profiles import change_picture, update_profile
from accounts.services.user_notes import MAX_NOTE_LENGTH, add_notes
from accounts.user_cards import ProfileField
from feed import attributes
from feed.selectors.featured_content import featured_tag_names
from feed.selectors.user_lists import owned_list, owned_lists
from feed.services.tags import feature_tag
from feed.services.user_lists import add_to_list, create_list
from feed.store.user_lists import LIST, MAX_LISTS, MAX_USERS, REPLIES_POLICIES
from feed.text.languages import base_language

from .drafts import read_actor
from .html_text import html_to_text
from .list_files import rows_of
from .media import ImportJob
from .note_parts import cut_line, plain_text_in, text_in, truncate, value_in
from .site_urls import is_local, local_username
from .source import READ_ERRORS, Source

FOLLOWS_FILE = "following_accounts.csv"
MAX_FOLLOWED = 7_500
HANDLE_HEADER = "Account address"
SHARES_HEADER, NOTIFY_HEADER = "Show boosts", "Notify on new posts"
LANGUAGES_HEADER = "Languages"
NOTES_FILE = "private_notes.csv"
NOTES_HEADERS = ("Account address", "Note")
MAX_NOTES = 20_000
HEARTBEAT_ROWS = 1_000
MAX_MEMBERS = MAX_LISTS * MAX_USERS
MAX_TAGS = 10
_TITLE = SingleLineField(max_length=60)
_TEXT = PlainTextField(max_length=MAX_NOTE_LENGTH)
PICTURES = ((AVATAR, "avatar.webp", "icon"), (HEADER, "header.webp", "image"))
"""Kinds of profile pictures, their files in the zip, and their properties of the actor."""

_PICTURE_NAME = re.compile(r"(?:avatar|header)\.[A-Za-z]{1,5}", re.ASCII)
_MAX_NAME, _MAX_BIO = (
    ProfileForm.base_fields[name].max_length  # type: ignore[attr-defined]
    for name in ("display_name", "bio")
)


@dataclass(frozen=True, slots=True)
class ArchivedFollow:
    """A user to follow, with the settings of the follow. ``languages`` is empty for all languages."""

    username: str
    hides_shares: bool = False
    notifies: bool = False
    languages: tuple[str, ...] = ()


def read_follows(*, source: Source) -> tuple[list[ArchivedFollow], int]:
    """Return the users of this site to follow, and the number of rows that are left out.

    Rows with users of other sites are left out, and rows beyond ``MAX_FOLLOWED`` usernames. Raises
    BadArchive.
    """
    follows: dict[str, ArchivedFollow] = {}
    headers = [HANDLE_HEADER]
    skipped_count = 0
    for row in rows_of(source=source, name=FOLLOWS_FILE, handle_column=0):
        if row[0].strip() == HANDLE_HEADER:
            headers = row
            continue
        username = local_username(row[0])
        if username and len(follows) < MAX_FOLLOWED:
            follows[username] = _parse_follow(username, dict(zip(headers, row, strict=False)))
        else:
            skipped_count += 1
    return list(follows.values()), skipped_count


def _parse_follow(username: str, row: dict[str, str]) -> ArchivedFollow:
    tags = row.get(LANGUAGES_HEADER, "").split(",", follow_settings.MAX_LANGUAGES)[
        : follow_settings.MAX_LANGUAGES
    ]
    languages = dict.fromkeys(base_language(tag.strip()) for tag in tags)
    return ArchivedFollow(
        username,
        # Spreadsheet programs change the values to capital letters.
        hides_shares=row.get(SHARES_HEADER, "").strip().lower() == "false",
        notifies=row.get(NOTIFY_HEADER, "").strip().lower() == "true",
        languages=tuple(filter(None, languages)),
    )


def follow_archived_users(follows: Sequence[ArchivedFollow], job: ImportJob) -> Counter[str]:
    """Follow these users and set up the follows. Safe to repeat."""
    owner_id = job.owner.pk
    uids = attributes.uids_by_username(usernames=[follow.username for follow in follows])
    already_followed = followees_among(follower=owner_id, uids=uids.values())
    counts = Counter(
        users_not_here=len(follows) - len(uids), already_followed=len(already_followed)
    )
    for follow in follows:
        uid = uids.get(follow.username)
        if uid is None or uid == owner_id:
            continue
        if uid not in already_followed:
            job.heartbeat()
            try:
                is_new = follow_user(follower=owner_id, followee=uid)
            except CannotFollow:
                counts["cannot_follow"] += 1
                continue
            counts["follows" if is_new else "follow_requests"] += 1
        if follow.notifies:
            follow_settings.set_subscription(follower=owner_id, followee=uid, is_on=True)
        if follow.hides_shares:
            follow_settings.hide_shares(owner=owner_id, other=uid, is_hidden=True)
        if follow.languages:
            follow_settings.set_languages(
                follower=owner_id, followee=uid, languages=follow.languages
            )
    return counts


def read_featured_people(*, settings: dict[str, Any]) -> list[str]:
    """Return the usernames of the users to feature, the first to feature first."""
    handles = _texts_in(settings, "featured_people")[: follow_settings.MAX_FEATURED_PEOPLE]
    return [username for handle in handles if (username := local_username(handle))]


def feature_archived_people(usernames: Sequence[str], job: ImportJob) -> Counter[str]:
    """Feature these users, as far as the owner follows them and there is room. Safe to repeat."""
    counts: Counter[str] = Counter()
    uids = attributes.uids_by_username(usernames=list(usernames))
    for username in usernames:
        if username not in uids:
            continue
        try:
            follow_settings.feature_user(owner=job.owner.pk, other=uids[username])
        except Refused:
            continue
        counts["featured_people"] += 1
    return counts


@dataclass(frozen=True, slots=True)
class ArchivedNote:
    username: str
    text: str


def count_notes(*, source: Source, heartbeat: Callable[[], None]) -> tuple[int, int]:
    """Return the number of rows that ``read_notes`` yields, and the number of rows beyond ``MAX_NOTES``."""
    count = 0
    for count, _row in enumerate(_note_rows(source), 1):
        if count % HEARTBEAT_ROWS == 0:
            heartbeat()
    return min(count, MAX_NOTES), max(0, count - MAX_NOTES)


def read_notes(*, source: Source) -> Iterator[ArchivedNote | None]:
    """Yield up to ``MAX_NOTES`` notes, None for each row that is left out.

    Left out are notes about users of other sites, and texts that the site does not accept. Raises
    BadArchive.
    """
    for row in islice(_note_rows(source), MAX_NOTES):
        username = local_username(row[0])
        try:
            text = _TEXT.clean(row[1]) if len(row) > 1 else ""
        except ValidationError:
            text = ""
        yield ArchivedNote(username, text) if username and text else None


def _note_rows(source: Source) -> Iterator[list[str]]:
    rows = rows_of(source=source, name=NOTES_FILE, handle_column=0)
    return (row for row in rows if tuple(row) != NOTES_HEADERS)


def import_notes(notes: Sequence[ArchivedNote | None], job: ImportJob) -> Counter[str]:
    """Save these notes, unless the owner has a note about the same user. Safe to repeat."""
    texts_by_username = {note.username: note.text for note in notes if note is not None}
    uids = attributes.uids_by_username(usernames=list(texts_by_username))
    texts = {
        uid: texts_by_username[username] for username, uid in uids.items() if uid != job.owner.pk
    }
    count = add_notes(owner=job.owner.pk, texts=texts)
    return Counter(
        notes=count, existing_notes=len(texts) - count, skipped_notes=len(notes) - len(texts)
    )


@dataclass(frozen=True, slots=True)
class ListMember:
    """A row of ``lists.csv``, with the properties of its list."""

    title: str
    username: str
    is_exclusive: bool
    replies_policy: str


def lists_json(*, uid: int) -> list[dict[str, Any]]:
    return [
        {
            "title": user_list.title,
            "exclusive": user_list.is_exclusive,
            "replies_policy": user_list.replies_policy,
        }
        for user_list in owned_lists(owner=uid)
    ]


def read_settings(*, source: Source) -> dict[str, Any]:
    """Return ``settings.json``, {} if there is none or it is not of this site. Raises BadArchive."""
    if not source.has("settings.json"):
        return {}
    settings = source.read_json("settings.json")
    return settings if isinstance(settings, dict) else {}


def read_featured_tags(*, settings: dict[str, Any]) -> list[str]:
    """Return the featured hashtags, which are not validated yet."""
    return _texts_in(settings, "featured_hashtags")[:MAX_TAGS]


def _texts_in(settings: dict[str, Any], name: str) -> list[str]:
    values = settings.get(name)
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def read_list_members(*, source: Source, settings: dict[str, Any]) -> tuple[list[ListMember], int]:
    """Return the members of lists who are users of this site, and the number of other rows.

    Raises BadArchive.
    """
    options = _options_by_title(settings)
    members: dict[ListMember, None] = {}
    skipped_count = 0
    for row in rows_of(source=source, name="lists.csv", handle_column=1):
        title = _clean_title(row[0])
        username = local_username(row[1]) if len(row) > 1 else None
        if title and username and len(members) < MAX_MEMBERS:
            is_exclusive, replies_policy = options.get(title, (False, LIST))
            members[ListMember(title, username, is_exclusive, replies_policy)] = None
        else:
            skipped_count += 1
    return list(members), skipped_count


def import_list_members(members: Sequence[ListMember], job: ImportJob) -> Counter[str]:
    """Add followed users to lists, and create the missing lists. Safe to repeat.

    A list of the owner with the same title gets the members and keeps its properties.
    """
    job.heartbeat()
    counts, owner = Counter[str](), job.owner
    uids = attributes.uids_by_username(usernames=[member.username for member in members])
    followed = followees_among(follower=owner.pk, uids=uids.values())
    lists = {user_list.title: user_list for user_list in owned_lists(owner=owner.pk)}
    for member in members:
        uid = uids.get(member.username)
        if uid is None or uid not in followed:
            counts["not_on_lists"] += 1
            continue
        try:
            if member.title not in lists:
                list_id = create_list(
                    owner=owner,
                    title=member.title,
                    is_exclusive=member.is_exclusive,
                    replies_policy=member.replies_policy,
                )
                lists[member.title] = owned_list(owner=owner.pk, list_id=list_id)
            if uid in lists[member.title].uids:
                continue
            add_to_list(owner=owner, user_list=lists[member.title], uids=[uid])
        except (Refused, Http404):
            counts["not_on_lists"] += 1
        else:
            counts["list_members"] += 1
    return counts


def import_featured_tags(names: Sequence[str], job: ImportJob) -> Counter[str]:
    """Feature hashtags as far as there is room. Safe to repeat."""
    counts: Counter[str] = Counter()
    featured = featured_tag_names(author=job.owner.pk)
    for name in names:
        if name in featured:
            continue
        try:
            feature_tag(author=job.owner.pk, name=name)
        except Refused:
            continue
        counts["featured_tags"] += 1
    return counts


def _options_by_title(settings: dict[str, Any]) -> dict[str, tuple[bool, str]]:
    lists = settings.get("lists")
    options: dict[str, tuple[bool, str]] = {}
    for properties in lists[:MAX_LISTS] if isinstance(lists, list) else ():
        if not isinstance(properties, dict):
            continue
        title = _clean_title(properties.get("title"))
        policy = properties.get("replies_policy")
        if title:
            options[title] = (
                properties.get("exclusive") is True,
                policy if policy in REPLIES_POLICIES else LIST,
            )
    return options


def _clean_title(title: Any) -> str:
    try:
        return _TITLE.clean(title) if isinstance(title, str) else ""
    except ValidationError:
        return ""


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
        display_name=cut_line(text_in(actor, "name"), _MAX_NAME),
        bio=truncate(plain_text_in(actor, "summary", is_local=is_local(actor["id"])), _MAX_BIO),
        profile_fields=tuple(_read_fields(actor.get("attachment"))),
        is_bot=actor.get("type") == "Service",
        pictures=tuple(
            (kind, name)
            for kind, name in names
            if _PICTURE_NAME.fullmatch(name) and source.has(name)
        ),
    )


def import_profile(profiles: Sequence[ArchivedProfile], job: ImportJob) -> Counter[str]:
    """Fill the empty parts of the owner's profile. Safe to repeat."""
    job.heartbeat()
    (profile,), owner = profiles, job.owner
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


def _read_fields(attachments: Any) -> list[ProfileField]:
    fields = []
    for attachment in attachments if isinstance(attachments, list) else ():
        name = cut_line(text_in(attachment, "name"), MAX_PROFILE_FIELD_LENGTH)
        value = html_to_text(html=text_in(attachment, "value"))
        value = cut_line(value, MAX_PROFILE_FIELD_LENGTH)
        if name and value and value_in(attachment, "type") == "PropertyValue":
            fields.append(ProfileField(name, value))
    return fields[:MAX_PROFILE_FIELDS]
