"""What there is to do with an archive: all of it is read and judged, and nothing is written."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from accounts import usernames
from accounts.models import User

from . import contents, drafts
from .drafts import Draft, DraftParser
from .json_lists import damaged_file_error, read_items
from .site_urls import local_post_id, site_host, url_host
from .source import READ_ERRORS, BadArchive, Source

MAX_POSTS = 200_000
HEARTBEAT_INTERVAL_POSTS = 200


@dataclass(frozen=True, slots=True)
class Contents:
    """``posts`` items of the outbox, then these ``names`` to follow, then these posts to keep. ``counts``:
    what is left out already."""

    item_count: int
    usernames: list[str]
    bookmark_ids: list[int]
    skipped: Counter[str]

    @property
    def total(self) -> int:
        return self.item_count + len(self.usernames) + len(self.bookmark_ids)


def check_archive(
    *, source: Source, owner: User, before: datetime, heartbeat: Callable[[], None] = lambda: None
) -> Contents:
    """Raises BadArchive. ``until``: what was written later is left out. ``beat`` is called now and then."""
    number = 0
    counts: Counter[str] = Counter()
    for number, _draft in enumerate(read_drafts(source=source, owner=owner, before=before), 1):
        if number > MAX_POSTS:
            raise BadArchive(
                _("There are more than %(number)d posts in this archive.") % {"number": MAX_POSTS}
            )
        if number % HEARTBEAT_INTERVAL_POSTS == 0:
            heartbeat()
    try:
        names, counts["elsewhere"] = contents.read_followed_usernames(source=source)
        kept, counts["kept_elsewhere"] = contents.read_bookmark_ids(source=source)
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged.")) from error
    return Contents(item_count=number, usernames=names, bookmark_ids=kept, skipped=+counts)


def predict_counts(*, source: Source, owner: User, before: datetime) -> Counter[str]:
    """What would become of the posts, as far as that can be told without writing anything."""
    every = read_drafts(source=source, owner=owner, before=before)
    return Counter("posts" if isinstance(one, Draft) else one for one in every)


def read_drafts(*, source: Source, owner: User, before: datetime) -> Iterator[Draft | str]:
    """All items of the outbox: posts to be, or why they are left out. Raises BadArchive."""
    reader: DraftParser = drafts.draft_parser(source=source, owner_id=owner.pk, before=before)
    try:
        with source.open("outbox.json") as file:
            for item in read_items(file=file, file_name="outbox.json"):
                yield reader.parse(item)
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged.")) from error


# MERGED FROM feed.archive.contents: Whom an archive says its owner followed, and what they kept: only what is of this site counts.
MAX_FOLLOWED = 7_500
MAX_BOOKMARKS = 20_000
_HANDLE = re.compile(rf"@?({usernames.PATTERN})(?:@([\w.:-]+))?", re.ASCII)


def read_followed_usernames(*, source: Source) -> tuple[list[str], int]:
    """Whom its owner followed of the people of this site, by name, each once; and how many others."""
    if not source.has("following_accounts.csv"):
        return [], 0
    text = source.read_small("following_accounts.csv").decode("utf-8-sig", "replace")
    names: dict[str, None] = {}
    others = 0
    try:
        for row in csv.reader(text.splitlines()):
            if not row or row[0].strip() == "Account address":
                continue
            found = _HANDLE.fullmatch(row[0].strip())
            is_here = found and (found[2] or site_host()).lower() == site_host()
            if found and is_here and len(names) < MAX_FOLLOWED:
                names[found[1].lower()[: usernames.MAX_LENGTH + 1]] = None
            else:
                others += 1
    except csv.Error as error:
        raise damaged_file_error(file_name="following_accounts.csv") from error
    return list(names), others


def read_bookmark_ids(*, source: Source) -> tuple[list[int], int]:
    """The posts of this site that its owner kept, the first first; and how many others."""
    if not source.has("bookmarks.json"):
        return [], 0
    found: dict[int, None] = {}
    others = 0
    with source.open("bookmarks.json") as file:
        for one in read_items(file=file, file_name="bookmarks.json"):
            post = (
                local_post_id(one)
                if isinstance(one, str) and url_host(one) == site_host()
                else None
            )
            if post is not None and len(found) < MAX_BOOKMARKS:
                found[post] = None
            else:
                others += 1
    return list(found), others
