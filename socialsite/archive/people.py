"""Read what an archive says about other users, lists and hashtags, and export user lists.

``following_accounts.csv`` has a row for each followed user, and ``lists.csv`` a row ``title, handle`` for
each member, as in Mastodon. ``settings.json`` has what these formats cannot express: the properties of each
list, featured users and hashtags. ``private_notes.csv`` may be long, so its rows are read one at a time.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404

from accounts.forms import PlainTextField, SingleLineField
from accounts.infra.refusals import Refused
from accounts.selectors.follow_graph import followees_among
from accounts.services.follow_settings import (
    MAX_FEATURED_PEOPLE,
    MAX_LANGUAGES,
    feature_user,
    hide_shares,
    set_languages,
    set_subscription,
)
from accounts.services.follows import CannotFollow, follow_user
from accounts.services.user_notes import MAX_NOTE_LENGTH, add_notes
from feed import attributes
from feed.selectors.featured_content import featured_tag_names
from feed.selectors.user_lists import owned_list, owned_lists
from feed.services.tags import feature_tag
from feed.services.user_lists import add_to_list, create_list
from feed.store.user_lists import LIST, MAX_LISTS, MAX_USERS, REPLIES_POLICIES
from feed.text.languages import base_language

from .list_files import is_false, is_true, rows_of
from .media import ImportJob
from .site_urls import local_username
from .source import Source, damaged_file_error

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
    tags = row.get(LANGUAGES_HEADER, "").split(",", MAX_LANGUAGES)[:MAX_LANGUAGES]
    languages = dict.fromkeys(base_language(tag.strip()) for tag in tags)
    return ArchivedFollow(
        username,
        hides_shares=is_false(row.get(SHARES_HEADER, "")),
        notifies=is_true(row.get(NOTIFY_HEADER, "")),
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
            set_subscription(follower=owner_id, followee=uid, is_on=True)
        if follow.hides_shares:
            hide_shares(owner=owner_id, other=uid, is_hidden=True)
        if follow.languages:
            set_languages(follower=owner_id, followee=uid, languages=follow.languages)
    return counts


def read_featured_people(*, settings: dict[str, Any]) -> list[str]:
    """Return the usernames of the users to feature, the first to feature first."""
    handles = settings.get("featured_people")
    usernames = [
        local_username(handle)
        for handle in (handles if isinstance(handles, list) else [])[:MAX_FEATURED_PEOPLE]
        if isinstance(handle, str)
    ]
    return [username for username in usernames if username]


def feature_archived_people(usernames: Sequence[str], job: ImportJob) -> Counter[str]:
    """Feature these users, as far as the owner follows them and there is room. Safe to repeat."""
    counts: Counter[str] = Counter()
    uids = attributes.uids_by_username(usernames=list(usernames))
    for username in usernames:
        if username not in uids:
            continue
        try:
            feature_user(owner=job.owner.pk, other=uids[username])
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
    """Return the properties of the user's lists."""
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
    try:
        settings = json.loads(source.read_small("settings.json"))
    except (ValueError, RecursionError) as error:
        raise damaged_file_error(file_name="settings.json") from error
    return settings if isinstance(settings, dict) else {}


def read_featured_tags(*, settings: dict[str, Any]) -> list[str]:
    """Return the featured hashtags, which are not validated yet."""
    names = settings.get("featured_hashtags")
    if not isinstance(names, list):
        return []
    return [name for name in names if isinstance(name, str)][:MAX_TAGS]


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
