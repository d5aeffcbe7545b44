"""What is wrong with an archive as a whole."""

import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.utils.translation import gettext as _


class BadArchive(ValueError):
    """Nothing of this archive is brought in; the message is for the person who sent it."""


# MERGED FROM feed.archive.source: An archive that somebody sends, looked at before anything of it is read.  Nothing is ever unpacked to a disk: entries are read by names that are known beforehand, each up to a limit. What the archive claims of itself is judged first (https://en.wikipedia.org/wiki/Zip_bomb).
MAX_ENTRIES = 65_000
MAX_JSON_BYTES = 512 * 1024 * 1024
MAX_SMALL_FILE_BYTES = 4 * 1024 * 1024
MAX_MEDIA_EXPANSION = 4
"""Besides JSON an archive holds pictures, which do not get much smaller in it."""

REQUIRED_FILES = {"actor.json": MAX_SMALL_FILE_BYTES, "outbox.json": MAX_JSON_BYTES}
OPTIONAL_FILES = {
    "following_accounts.csv": MAX_SMALL_FILE_BYTES,
    "bookmarks.json": MAX_SMALL_FILE_BYTES,
}
MEDIA_PATH = re.compile(r"media_attachments/files/(?:[\w-]+/)*[\w.-]+", re.ASCII)

READ_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, struct.error)
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_IS_ENCRYPTED = 0x1
_END, _END_64, _ENTRY = b"PK\x05\x06", b"PK\x06\x07", b"PK\x01\x02"
_END_SIZE, _COMMENT = 22, 65_535


class Source:
    """The known entries of an archive, by name."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._entries = {
            one.filename.removeprefix("./").removeprefix("/"): one for one in archive.infolist()
        }

    def has(self, name: str) -> bool:
        return name in self._entries

    def has_picture(self, name: str) -> bool:
        return MEDIA_PATH.fullmatch(name) is not None and self.has(name)

    def open(self, name: str) -> IO[bytes]:
        return self._archive.open(self._entries[name])

    def read_small(self, name: str) -> bytes:
        """All of a small one. Raises BadArchive."""
        try:
            with self.open(name) as file:
                return file.read(MAX_SMALL_FILE_BYTES)
        except READ_ERRORS as error:
            raise BadArchive(_("This archive is damaged.")) from error

    def check_limits(self, size: int) -> None:
        for name in REQUIRED_FILES:
            if not self.has(name):
                raise BadArchive(_("There is no “%(name)s” in this archive.") % {"name": name})
        for name, largest in (REQUIRED_FILES | OPTIONAL_FILES).items():
            if self.has(name) and self._entries[name].file_size > largest:
                raise BadArchive(_("“%(name)s” in this archive is too large.") % {"name": name})
        unpacked = sum(one.file_size for one in self._entries.values())
        if unpacked > MAX_JSON_BYTES + MAX_MEDIA_EXPANSION * size:
            raise BadArchive(_("Unpacked, this archive would be too large."))
        for one in self._entries.values():
            if one.flag_bits & _IS_ENCRYPTED or one.compress_type not in _PLAIN:
                raise BadArchive(_("This archive is packed in a way that we cannot read."))


@contextmanager
def open_source(*, file: IO[bytes]) -> Iterator[Source]:
    """Raises BadArchive for what is no archive, or claims too much."""
    size = file.seek(0, os.SEEK_END)
    try:
        _refuse_too_many(file, size)
        archive = zipfile.ZipFile(file)
    except (*READ_ERRORS, ValueError) as error:
        if isinstance(error, BadArchive):
            raise
        raise _no_zip() from error
    with archive:
        source = Source(archive)
        source.check_limits(size)
        yield source


def _refuse_too_many(file: IO[bytes], size: int) -> None:
    """Before a list of millions of entries is read into memory."""
    begin = max(0, size - _END_SIZE - _COMMENT)
    file.seek(begin)
    tail = file.read()
    end = tail.rfind(_END)
    if end < 0 or len(tail) - end < _END_SIZE:
        raise _no_zip()
    listed: Any = struct.unpack_from("<I", tail, end + 12)[0]
    if _END_64 in tail[max(0, end - 20) : end] or listed > begin + end:
        raise BadArchive(_("This archive is packed in a way that we cannot read."))
    if listed > MAX_ENTRIES * 256:
        raise _too_many()
    file.seek(begin + end - listed)
    if file.read(listed).count(_ENTRY) > MAX_ENTRIES:
        raise _too_many()


def _too_many() -> BadArchive:
    return BadArchive(_("There are too many files in this archive."))


def _no_zip() -> BadArchive:
    return BadArchive(_("This file is no zip archive, or not all of it has arrived."))
