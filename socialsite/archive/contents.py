"""Read and check the contents of an archive before anything is imported."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import User

from . import people
from .drafts import Draft, DraftParser, read_actor
from .list_files import read_items
from .note_parts import text_in
from .saved_drafts import read_saved_drafts
from .site_urls import local_post_id
from .source import READ_ERRORS, BadArchive, Source

MAX_POSTS = 200_000
MAX_BOOKMARKS = 20_000
HEARTBEAT_INTERVAL_POSTS = 200


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a checked archive.

    Attributes:
        item_count: the number of items in the outbox, including items that are left out.
        values: what to import besides posts and notes, by phase of ``importer.PHASES``.
        skipped: the number of users and bookmarks that are left out, by reason.
        note_count: the number of private notes about other users, including notes that are left out.
    """

    item_count: int
    values: dict[str, Sequence[Any]]
    skipped: Counter[str]
    note_count: int

    @property
    def total(self) -> int:
        return self.item_count + sum(map(len, self.values.values())) + self.note_count


def check_archive(
    *,
    source: Source,
    owner: User,
    before: datetime,
    heartbeat: Callable[[], None] = lambda: None,
    should_read_posts: bool = True,
) -> Contents:
    """Read the whole archive and return its contents. Raises BadArchive.

    Posts written at or after ``before`` are left out. ``heartbeat`` is called regularly while posts are
    read, to show that the worker is alive.

    Args:
        should_read_posts: False if an earlier slice has checked the posts. ``item_count`` is then 0.
    """
    item_count = 0
    skipped: Counter[str] = Counter()
    posts = read_drafts(source=source, owner=owner, before=before) if should_read_posts else ()
    for item_count, _draft in enumerate(posts, 1):
        if item_count > MAX_POSTS:
            raise BadArchive(
                _("This archive contains too many posts. The limit is %(number)d.")
                % {"number": MAX_POSTS}
            )
        if item_count % HEARTBEAT_INTERVAL_POSTS == 0:
            heartbeat()
    try:
        follows, skipped["users_not_here"] = people.read_follows(source=source)
        bookmark_ids, skipped["bookmarks_not_here"] = read_bookmark_ids(source=source)
        settings = people.read_settings(source=source)
        list_members, skipped["not_on_lists"] = people.read_list_members(
            source=source, settings=settings
        )
        values: dict[str, Sequence[Any]] = {
            "follows": follows,
            "bookmarks": bookmark_ids,
            "list_members": list_members,
            "featured_tags": people.read_featured_tags(settings=settings),
            "featured_people": people.read_featured_people(settings=settings),
            "profile": [people.read_profile(source=source)],
            "drafts": read_saved_drafts(source=source, owner=owner),
        }
        note_count, skipped["skipped_notes"] = people.count_notes(
            source=source, heartbeat=heartbeat
        )
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged. Download it again and retry.")) from error
    return Contents(item_count, values, +skipped, note_count)


def predict_counts(*, source: Source, owner: User, before: datetime) -> Counter[str]:
    """Return the number of posts that an import would create (``posts``) or leave out, by reason.

    Posts that exist on the site already are counted as ``posts``, too.
    """
    drafts_or_reasons = read_drafts(source=source, owner=owner, before=before)
    return Counter("posts" if isinstance(draft, Draft) else draft for draft in drafts_or_reasons)


def read_drafts(*, source: Source, owner: User, before: datetime) -> Iterator[Draft | str]:
    """Yield a draft for each item of the outbox, or the reason to leave the item out. Raises BadArchive."""
    actor = read_actor(source=source)
    parser = DraftParser(owner.pk, source, actor["id"], text_in(actor, "followers"), before)
    try:
        with source.open("outbox.json") as file:
            for activity in read_items(file=file, file_name="outbox.json"):
                yield parser.parse(activity)
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged. Download it again and retry.")) from error


def read_private_notes(*, source: Source) -> Iterator[people.ArchivedNote | None]:
    """Yield the private notes, None for each note that is left out. Raises BadArchive."""
    try:
        yield from people.read_notes(source=source)
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged. Download it again and retry.")) from error


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
            post_id = local_post_id(url) if isinstance(url, str) else None
            if post_id is not None and len(bookmark_ids) < MAX_BOOKMARKS:
                bookmark_ids[post_id] = None
            else:
                skipped_count += 1
    return list(bookmark_ids), skipped_count
