"""Exports all data of a user to a zip file.

The zip is written to a temporary file and stored when it is complete. Posts and users are read in batches,
so the memory does not depend on the size of the export.
"""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage

from accounts.brand.current import current_brand
from accounts.models import User
from accounts.profile_pictures import picture_path
from accounts.user_cards import UserCard, card_from_user
from feed import picture_files
from feed.clip_files import ClaimLost
from feed.store import user_content

from . import jobs, notes, outbox, saved_drafts, tables
from .list_files import ACTIVITYSTREAMS_CONTEXT, write_items
from .models import Archive
from .people import PICTURES

_WORDS = {
    "sensitive": "as:sensitive",
    "Hashtag": "as:Hashtag",
    "manuallyApprovesFollowers": "as:manuallyApprovesFollowers",
    "schema": "http://schema.org#",
    "PropertyValue": "schema:PropertyValue",
    "value": "schema:value",
}


AdvanceProgress = Callable[[int], None]
"""A function that is called with the number of steps just finished.

It may be called with 0 to show that the worker is alive. To end the export, it raises an exception.
"""


def export_to_storage(*, archive: Archive, progress: jobs.Progress) -> None:
    """Export the owner's data and store the file of ``archive``. Raises ClaimLost."""
    owner = User.objects.get(pk=archive.owner)
    progress.start(total=count_steps(uid=owner.pk))
    with tempfile.TemporaryFile() as file:
        write_archive(owner=owner, file=file, advance=progress.advance)
        file.seek(0)
        jobs.save_step(archive=archive)
        path = jobs.archive_path(name=archive.run_token)
        stored_path = default_storage.save(path, _ProgressFile(file, progress.advance))
    try:
        # The storage chooses another path only if another worker has already stored a file at ``path``.
        if stored_path != path:
            raise ClaimLost(str(archive))
        jobs.finish_archive(archive=archive, file=archive.run_token)
    except BaseException:
        default_storage.delete(stored_path)
        raise


def count_steps(*, uid: int) -> int:
    """Return the number of steps of ``write_archive``: one for each post and each picture."""
    return sum(user_content.count_posts(author=uid))


def write_archive(*, owner: User, file: IO[bytes], advance: AdvanceProgress) -> None:
    """Write the zip. Data that changes during the export may be missing in the file."""
    owner_card = card_from_user(user=owner)
    words = _WORDS | {"socialsite": f"{settings.SITE_URL}/ns#"}
    context = [ACTIVITYSTREAMS_CONTEXT, words]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zip_file:
        _write_json(zip_file, "actor.json", _actor_json(owner, owner_card, context))
        items = _outbox_items(owner_card, advance)
        write_items(zip_file=zip_file, name="outbox.json", items=items, context=context)
        for name, items in (
            ("history.json", _advancing(outbox.previous_versions(owner_card=owner_card), advance)),
            ("likes.json", _flatten(outbox.liked_url_batches(owner_card=owner_card), advance)),
            (
                "bookmarks.json",
                _flatten(outbox.bookmark_url_batches(owner_card=owner_card), advance),
            ),
            ("votes.json", _flatten(outbox.vote_batches(owner_card=owner_card), advance)),
            (saved_drafts.FILE_NAME, _advancing(saved_drafts.draft_items(uid=owner.pk), advance)),
        ):
            write_items(zip_file=zip_file, name=name, items=items)
        for name, rows in tables.csv_tables(uid=owner_card.uid):
            tables.write_csv(zip_file=zip_file, file_name=name, rows=rows)
            advance(0)
        _write_json(zip_file, "filters.json", tables.filters_json(uid=owner_card.uid))
        _write_json(
            zip_file, "settings.json", tables.settings_json(owner=owner, owner_card=owner_card)
        )
        _write_pictures(zip_file, owner, advance)


def _outbox_items(owner_card: UserCard, advance: AdvanceProgress) -> Iterator[Any]:
    for post_count, activities in outbox.activity_batches(owner_card=owner_card):
        yield from activities
        advance(post_count)
    yield from _flatten(outbox.comment_batches(owner_card=owner_card), advance)


def _advancing(elements: Iterable[Any], advance: AdvanceProgress) -> Iterator[Any]:
    for element in elements:
        yield element
        advance(0)


def _flatten(batches: Iterator[list[Any]], advance: AdvanceProgress) -> Iterator[Any]:
    for batch in batches:
        advance(0)
        yield from batch


def _write_json(zip_file: zipfile.ZipFile, name: str, data: Any) -> None:
    zip_file.writestr(name, json.dumps(data, ensure_ascii=False, indent=2))


def _write_pictures(zip_file: zipfile.ZipFile, owner: User, advance: AdvanceProgress) -> None:
    for kind, file_name, _property in PICTURES:
        if name := getattr(owner, kind.field):
            _copy_file(zip_file, picture_path(kind=kind, name=name), file_name)
    for rows in outbox.own_post_batches(uid=owner.pk):
        for picture in (picture for row in rows for picture in row.media):
            _copy_attachment(zip_file, picture)
            advance(1)
    for entry in saved_drafts.attachments(uid=owner.pk):
        _copy_attachment(zip_file, entry)
        advance(0)


def _copy_attachment(zip_file: zipfile.ZipFile, entry: Mapping[str, Any]) -> None:
    path = picture_files.storage_path(name=entry["name"], size="large")
    if entry.get("kind", "image") != "image":
        path = picture_files.clip_path(name=entry["name"])
    _copy_file(zip_file, path, notes.media_path(entry))


def _copy_file(zip_file: zipfile.ZipFile, path: str, name: str) -> None:
    """Copy a stored file, if it still exists. It is compressed already, so do not compress it."""
    try:
        source = default_storage.open(path)
    except FileNotFoundError:
        return
    with source, zip_file.open(zipfile.ZipInfo(name), "w") as out:
        shutil.copyfileobj(source, out)


def _actor_json(owner: User, owner_card: UserCard, context: Any) -> dict[str, Any]:
    url = notes.user_url(owner_card)
    actor = {
        "@context": context,
        "id": url,
        "type": "Service" if owner.is_bot else "Person",
        "url": url,
        "preferredUsername": owner_card.username,
        "name": owner_card.display_name,
        "summary": notes.html_paragraph(owner.bio),
        "source": {"content": owner.bio, "mediaType": "text/plain"},
        "attachment": [
            {"type": "PropertyValue", "name": field.name, "value": field.value}
            for field in owner_card.profile_fields
        ],
        "published": notes.format_timestamp(owner.date_joined),
        "manuallyApprovesFollowers": owner.is_private,
        "followers": f"{url}followers/",
        "following": f"{url}following/",
        "outbox": "outbox.json",
        "likes": "likes.json",
        "bookmarks": "bookmarks.json",
        "generator": {"type": "Application", "name": current_brand().name},
    }
    for kind, file_name, actor_property in PICTURES:
        if getattr(owner, kind.field):
            actor[actor_property] = {"type": "Image", "mediaType": "image/webp", "url": file_name}
    return actor


class _ProgressFile(File):  # type: ignore[type-arg]
    """A file that calls ``advance`` whenever a storage reads from it."""

    def __init__(self, file: IO[bytes], advance: AdvanceProgress) -> None:
        super().__init__(file)
        self._content = file
        self._advance = advance

    def read(self, *args: int) -> bytes:
        self._advance(0)
        content: bytes = self._content.read(*args)
        return content
