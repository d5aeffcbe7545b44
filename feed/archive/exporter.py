"""Pack everything somebody has: written to a temporary file, from which it moves to its place when it is
whole. Posts and people are read in stretches, so that memory does not grow with their number."""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any, Protocol

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage

from accounts import avatars
from accounts.models import User
from accounts.user_cards import UserCard, card_from_user
from feed import picture_files
from feed.models import Archive
from feed.store import user_content

from . import extension, jobs, notes, outbox, tables
from .json_lists import ACTIVITYSTREAMS_CONTEXT, write_collection
from .preferences import settings_json

AVATAR_NAME = "avatar.webp"
_WORDS = {
    "sensitive": "as:sensitive",
    "Hashtag": "as:Hashtag",
    "manuallyApprovesFollowers": "as:manuallyApprovesFollowers",
}


class AdvanceProgress(Protocol):
    """Is told of how much more is done; what it raises ends the work."""

    def __call__(self, by: int = 0) -> None: ...


def export_to_storage(*, archive: Archive, progress: jobs.Progress) -> None:
    """Raises TakenOver."""
    owner = User.objects.get(pk=archive.owner)
    progress.start(total=count_steps(uid=owner.pk))
    with tempfile.TemporaryFile() as file:
        write_archive(owner=owner, file=file, advance=progress.advance)
        file.seek(0)
        jobs.save_step(archive=archive)
        path = jobs.archive_path(name=archive.run_token)
        kept = default_storage.save(path, _Watched(file, progress.advance))
    try:
        if kept != path:
            raise jobs.ClaimLost(str(archive))
        jobs.finish_archive(archive=archive, file=archive.run_token)
    except BaseException:
        default_storage.delete(kept)
        raise


def count_steps(*, uid: int) -> int:
    """How much ``pack`` will say is done."""
    return sum(user_content.count_posts(author=uid))


def write_archive(*, owner: User, file: IO[bytes], advance: AdvanceProgress) -> None:
    """Write the zip. What is written meanwhile elsewhere may be in it or not."""
    me = card_from_user(user=owner)
    context = [ACTIVITYSTREAMS_CONTEXT, _WORDS | extension.extension_context()]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as into:
        _write_json(into, "actor.json", _actor(owner, me, context))
        with write_collection(zip_file=into, name="outbox.json", context=context) as add:
            for number, told in outbox.activity_batches(owner_card=me):
                for one in told:
                    add(one)
                advance(number)
            for one in _each(outbox.comment_batches(owner_card=me), advance):
                add(one)
        with write_collection(zip_file=into, name="history.json") as add:
            for version in outbox.previous_versions(owner_card=me):
                add(version)
                advance()
        for name, found in (
            ("likes.json", outbox.liked_url_batches(owner_card=me)),
            ("bookmarks.json", outbox.bookmark_url_batches(owner_card=me)),
        ):
            with write_collection(zip_file=into, name=name) as add:
                for one in _each(found, advance):
                    add(one)
        for name, rows in tables.csv_tables(uid=me.uid):
            tables.write_csv(zip_file=into, file_name=name, rows=rows)
            advance()
        _write_json(into, "filters.json", tables.filters_json(uid=me.uid))
        _write_json(into, "settings.json", settings_json(owner=owner, owner_card=me))
        _write_pictures(into, owner, advance)


def _each(stretches: Iterator[list[Any]], advance: AdvanceProgress) -> Iterator[Any]:
    for stretch in stretches:
        advance()
        yield from stretch


def _write_json(into: zipfile.ZipFile, name: str, what: Any) -> None:
    into.writestr(name, json.dumps(what, ensure_ascii=False, indent=2))


def _write_pictures(into: zipfile.ZipFile, owner: User, advance: AdvanceProgress) -> None:
    if owner.avatar:
        _copy(into, avatars.avatar_path(name=owner.avatar), AVATAR_NAME)
    for rows in outbox.own_post_batches(uid=owner.pk):
        for one in (one for row in rows for one in row.media):
            name = one["name"]
            _copy(into, picture_files.storage_path(name=name, size="large"), notes.media_path(name))
            advance(1)


def _copy(into: zipfile.ZipFile, path: str, name: str) -> None:
    """Pictures are packed already; those that moderators have taken away stay away."""
    try:
        source = default_storage.open(path)
    except FileNotFoundError:
        return
    entry = zipfile.ZipInfo(name)
    with source, into.open(entry, "w") as out:
        shutil.copyfileobj(source, out)


def _actor(owner: User, me: UserCard, context: Any) -> dict[str, Any]:
    at = notes.user_url(me)
    actor = {
        "@context": context,
        "id": at,
        "type": "Person",
        "url": at,
        "preferredUsername": me.username,
        "name": me.display_name,
        "summary": notes.html_paragraph(owner.bio),
        "source": {"content": owner.bio, "mediaType": "text/plain"},
        "published": notes.format_timestamp(owner.date_joined),
        "manuallyApprovesFollowers": owner.is_private,
        "followers": f"{at}followers/",
        "following": f"{at}following/",
        "outbox": "outbox.json",
        "likes": "likes.json",
        "bookmarks": "bookmarks.json",
        "generator": {"type": "Application", "name": settings.SITE_NAME},
    }
    if owner.avatar:
        actor["icon"] = {"type": "Image", "mediaType": "image/webp", "url": AVATAR_NAME}
    return actor


class _Watched(File):  # type: ignore[type-arg]
    """A file that is copied under the eyes of ``advance``."""

    def __init__(self, file: IO[bytes], advance: AdvanceProgress) -> None:
        super().__init__(file)
        self._advance = advance

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        for chunk in super().chunks(chunk_size):
            self._advance()
            yield chunk
