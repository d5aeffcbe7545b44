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
from accounts.user_cards import UserCard, card_of
from feed import pictures
from feed.models import Archive
from feed.store import belongings

from . import extension, notes, outbox, records, tables
from .jsons import CONTEXT, collection
from .preferences import preferences

AVATAR = "avatar.webp"
_WORDS = {
    "sensitive": "as:sensitive",
    "Hashtag": "as:Hashtag",
    "manuallyApprovesFollowers": "as:manuallyApprovesFollowers",
}


class Advance(Protocol):
    """Is told of how much more is done; what it raises ends the work."""

    def __call__(self, by: int = 0) -> None: ...


def pack_and_keep(*, archive: Archive, progress: records.Progress) -> None:
    """Raises TakenOver."""
    owner = User.objects.get(pk=archive.owner)
    progress.begin(total=size(uid=owner.pk))
    with tempfile.TemporaryFile() as file:
        pack(owner=owner, out=file, advance=progress.advance)
        file.seek(0)
        records.note(archive=archive)
        path = records.path(name=archive.run)
        kept = default_storage.save(path, _Watched(file, progress.advance))
    try:
        if kept != path:
            raise records.TakenOver(str(archive))
        records.finish(archive=archive, file=archive.run)
    except BaseException:
        default_storage.delete(kept)
        raise


def size(*, uid: int) -> int:
    """How much ``pack`` will say is done."""
    return sum(belongings.count_posts(author=uid))


def pack(*, owner: User, out: IO[bytes], advance: Advance) -> None:
    """Write the zip. What is written meanwhile elsewhere may be in it or not."""
    me = card_of(user=owner)
    context = [CONTEXT, _WORDS | extension.context()]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as into:
        _write_json(into, "actor.json", _actor(owner, me, context))
        with collection(into=into, name="outbox.json", context=context) as add:
            for number, told in outbox.published(me=me):
                for one in told:
                    add(one)
                advance(number)
            for one in _each(outbox.commented(me=me), advance):
                add(one)
        with collection(into=into, name="history.json") as add:
            for version in outbox.replaced(me=me):
                add(version)
                advance()
        for name, found in (
            ("likes.json", outbox.liked(me=me)),
            ("bookmarks.json", outbox.kept(me=me)),
        ):
            with collection(into=into, name=name) as add:
                for one in _each(found, advance):
                    add(one)
        for name, rows in tables.tables(uid=me.uid):
            tables.write(into=into, name=name, rows=rows)
            advance()
        _write_json(into, "filters.json", tables.filters(uid=me.uid))
        _write_json(into, "settings.json", preferences(owner=owner, me=me))
        _write_pictures(into, owner, advance)


def _each(stretches: Iterator[list[Any]], advance: Advance) -> Iterator[Any]:
    for stretch in stretches:
        advance()
        yield from stretch


def _write_json(into: zipfile.ZipFile, name: str, what: Any) -> None:
    into.writestr(name, json.dumps(what, ensure_ascii=False, indent=2))


def _write_pictures(into: zipfile.ZipFile, owner: User, advance: Advance) -> None:
    if owner.avatar:
        _copy(into, avatars.path(name=owner.avatar), AVATAR)
    for rows in outbox.own_posts(uid=owner.pk):
        for one in (one for row in rows for one in row.media):
            name = one["name"]
            _copy(into, pictures.path(name=name, size="large"), notes.picture_path(name))
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
    at = notes.person(me)
    actor = {
        "@context": context,
        "id": at,
        "type": "Person",
        "url": at,
        "preferredUsername": me.username,
        "name": me.display_name,
        "summary": notes.html(owner.bio),
        "source": {"content": owner.bio, "mediaType": "text/plain"},
        "published": notes.moment(owner.date_joined),
        "manuallyApprovesFollowers": owner.is_private,
        "followers": f"{at}followers/",
        "following": f"{at}following/",
        "outbox": "outbox.json",
        "likes": "likes.json",
        "bookmarks": "bookmarks.json",
        "generator": {"type": "Application", "name": settings.SITE_NAME},
    }
    if owner.avatar:
        actor["icon"] = {"type": "Image", "mediaType": "image/webp", "url": AVATAR}
    return actor


class _Watched(File):  # type: ignore[type-arg]
    """A file that is copied under the eyes of ``advance``."""

    def __init__(self, file: IO[bytes], advance: Advance) -> None:
        super().__init__(file)
        self._advance = advance

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        for chunk in super().chunks(chunk_size):
            self._advance()
            yield chunk
