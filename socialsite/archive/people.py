"""Read what an archive says about other users: followed and featured users, and private notes.

``following_accounts.csv`` has a row for each followed user, as in Mastodon. ``settings.json`` has the users
whom the profile features, which that format cannot express. ``private_notes.csv`` may be long, so its rows
are read one at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError

from accounts.forms import PlainTextField
from accounts.selectors.follow_graph import followees_among
from accounts.services.featured_people import MAX_FEATURED_PEOPLE, CannotFeature, feature_user
from accounts.services.follow_settings import (
    MAX_LANGUAGES,
    hide_shares,
    set_languages,
    set_subscription,
)
from accounts.services.follows import CannotFollow, follow_user
from accounts.services.user_notes import MAX_NOTE_LENGTH, add_notes
from feed import attributes
from feed.text.languages import base_language

from .list_files import is_false, is_true, rows_of
from .media import ImportJob
from .site_urls import local_username
from .source import Source

FOLLOWS_FILE = "following_accounts.csv"
MAX_FOLLOWED = 7_500
HANDLE_HEADER = "Account address"
SHARES_HEADER, NOTIFY_HEADER = "Show boosts", "Notify on new posts"
LANGUAGES_HEADER = "Languages"


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
    already_followed = followees_among(uid=owner_id, uids=uids.values())
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
        except CannotFeature:
            continue
        counts["featured_people"] += 1
    return counts


NOTES_FILE = "private_notes.csv"
NOTES_HEADERS = ("Account address", "Note")
MAX_NOTES = 20_000
HEARTBEAT_ROWS = 1_000

_TEXT = PlainTextField(max_length=MAX_NOTE_LENGTH)


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
