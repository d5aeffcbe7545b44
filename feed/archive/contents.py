"""Read and check the contents of an archive before anything is imported."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from accounts import usernames
from accounts.models import User

from . import drafts
from .drafts import Draft, DraftParser
from .json_lists import damaged_file_error, read_items
from .lists_and_tags import (
    ListMember,
    read_featured_tags,
    read_list_members,
    read_settings,
)
from .profile import ArchivedProfile, read_profile
from .saved_drafts import SavedDraft, read_saved_drafts
from .site_urls import local_post_id, site_host, url_host
from .source import READ_ERRORS, BadArchive, Source

MAX_POSTS = 200_000
MAX_FOLLOWED = 7_500
MAX_BOOKMARKS = 20_000
HEARTBEAT_INTERVAL_POSTS = 200
NOTIFY_HEADER = "Notify on new posts"
_HANDLE = re.compile(rf"@?({usernames.PATTERN})(?:@([\w.:-]+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a checked archive, in the order in which an import processes them.

    Attributes:
        item_count: the number of items in the outbox, including items that are left out.
        usernames: usernames of the users to follow.
        notifying: which of these to notify the owner about when they post.
        bookmark_ids: ids of the posts to bookmark.
        skipped: the number of users and bookmarks that are left out, by reason.
        featured_tags: hashtags to feature on the profile.
        profiles: the profile in the archive.
    """

    item_count: int
    usernames: list[str]
    bookmark_ids: list[int]
    skipped: Counter[str]
    notifying: frozenset[str] = frozenset()
    list_members: tuple[ListMember, ...] = ()
    featured_tags: tuple[str, ...] = ()
    profiles: tuple[ArchivedProfile, ...] = ()
    saved_drafts: tuple[SavedDraft, ...] = ()

    @property
    def total(self) -> int:
        parts: tuple[Sized, ...] = (
            self.usernames,
            self.bookmark_ids,
            self.list_members,
            self.featured_tags,
            self.profiles,
            self.saved_drafts,
        )
        return self.item_count + sum(map(len, parts))


def check_archive(
    *, source: Source, owner: User, before: datetime, heartbeat: Callable[[], None] = lambda: None
) -> Contents:
    """Read the whole archive and return its contents. Raises BadArchive.

    Posts written at or after ``before`` are left out. ``heartbeat`` is called regularly while posts are
    read, to show that the worker is alive.
    """
    item_count = 0
    skipped: Counter[str] = Counter()
    for item_count, _draft in enumerate(read_drafts(source=source, owner=owner, before=before), 1):
        if item_count > MAX_POSTS:
            raise BadArchive(
                _("This archive contains too many posts. The limit is %(number)d.")
                % {"number": MAX_POSTS}
            )
        if item_count % HEARTBEAT_INTERVAL_POSTS == 0:
            heartbeat()
    try:
        followed_usernames, skipped["users_not_here"] = read_followed_usernames(source=source)
        notifying = frozenset(name for name, notifies in followed_usernames.items() if notifies)
        bookmark_ids, skipped["bookmarks_not_here"] = read_bookmark_ids(source=source)
        profile = read_profile(source=source)
        settings = read_settings(source=source)
        saved_drafts = read_saved_drafts(source=source, owner_id=owner.pk)
        list_members, skipped["not_on_lists"] = read_list_members(
            source=source, settings=settings, local_username=_local_username
        )
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged. Download it again and retry.")) from error
    return Contents(
        item_count=item_count,
        usernames=list(followed_usernames),
        notifying=notifying,
        bookmark_ids=bookmark_ids,
        skipped=+skipped,
        list_members=tuple(list_members),
        featured_tags=tuple(read_featured_tags(settings=settings)),
        profiles=(profile,),
        saved_drafts=tuple(saved_drafts),
    )


def predict_counts(*, source: Source, owner: User, before: datetime) -> Counter[str]:
    """Return the number of posts that an import would create (``posts``) or leave out, by reason.

    Posts that exist on the site already are counted as ``posts``, too.
    """
    drafts_or_reasons = read_drafts(source=source, owner=owner, before=before)
    return Counter("posts" if isinstance(draft, Draft) else draft for draft in drafts_or_reasons)


def read_drafts(*, source: Source, owner: User, before: datetime) -> Iterator[Draft | str]:
    """Yield a draft for each item of the outbox, or the reason to leave the item out. Raises BadArchive."""
    parser: DraftParser = drafts.draft_parser(source=source, owner_id=owner.pk, before=before)
    try:
        with source.open("outbox.json") as file:
            for activity in read_items(file=file, file_name="outbox.json"):
                yield parser.parse(activity)
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged. Download it again and retry.")) from error


def read_followed_usernames(*, source: Source) -> tuple[dict[str, bool], int]:
    """Return the distinct followed usernames of this site, and the number of rows that are left out.

    The value of each username is True if its row asks for notifications of new posts.
    Rows with users of other sites are left out, and rows beyond ``MAX_FOLLOWED`` usernames.
    """
    if not source.has("following_accounts.csv"):
        return {}, 0
    text = source.read_small("following_accounts.csv").decode("utf-8-sig", "replace")
    followed_usernames: dict[str, bool] = {}
    notify_column: int | None = None
    skipped_count = 0
    try:
        for row in csv.reader(text.splitlines()):
            if row and row[0].strip() == "Account address":
                notify_column = row.index(NOTIFY_HEADER) if NOTIFY_HEADER in row else None
                continue
            if not row:
                continue
            username = _local_username(row[0])
            if username and len(followed_usernames) < MAX_FOLLOWED:
                notifies = False if notify_column is None else row[notify_column:][:1] == ["true"]
                followed_usernames[username] = notifies
            else:
                skipped_count += 1
    except csv.Error as error:
        raise damaged_file_error(file_name="following_accounts.csv") from error
    return followed_usernames, skipped_count


def _local_username(handle: str) -> str | None:
    """Return the username in the handle of a user of this site, None for other handles."""
    match = _HANDLE.fullmatch(handle.strip())
    if match is None or (match[2] or site_host()).lower() != site_host():
        return None
    return match[1].lower()[: usernames.MAX_LENGTH + 1]


def read_bookmark_ids(*, source: Source) -> tuple[list[int], int]:
    """Return the ids of bookmarked posts of this site, oldest bookmark first.

    Also return the number of bookmarks that are left out.
    """
    if not source.has("bookmarks.json"):
        return [], 0
    bookmark_ids: dict[int, None] = {}
    skipped_count = 0
    with source.open("bookmarks.json") as file:
        for url in read_items(file=file, file_name="bookmarks.json"):
            is_local = isinstance(url, str) and url_host(url) == site_host()
            post_id = local_post_id(url) if is_local else None
            if post_id is not None and len(bookmark_ids) < MAX_BOOKMARKS:
                bookmark_ids[post_id] = None
            else:
                skipped_count += 1
    return list(bookmark_ids), skipped_count
