"""Opens an uploaded archive and enforces limits before any entry is read.

The limits protect the site from zip bombs (https://en.wikipedia.org/wiki/Zip_bomb). First the sizes that
the archive claims are checked. Nothing is unpacked to a disk, and only entries with known names are read.
"""

import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.utils.translation import gettext as _


class BadArchive(ValueError):
    """The archive cannot be imported. The message is shown to the owner."""


MAX_ENTRIES = 65_000
MAX_JSON_BYTES = 512 * 1024 * 1024
MAX_SMALL_FILE_BYTES = 4 * 1024 * 1024
MAX_NOTES_BYTES = 128 * 1024 * 1024
MAX_MEDIA_EXPANSION = 4
"""Maximum ratio of unpacked to packed bytes, without JSON. Pictures hardly shrink in a zip."""

MAIN_FILE = "outbox.json"
REQUIRED_FILES = {"actor.json": MAX_SMALL_FILE_BYTES, MAIN_FILE: MAX_JSON_BYTES}
OPTIONAL_FILES = {
    "following_accounts.csv": MAX_SMALL_FILE_BYTES,
    "bookmarks.json": MAX_SMALL_FILE_BYTES,
    "drafts.json": MAX_SMALL_FILE_BYTES,
    "lists.csv": MAX_SMALL_FILE_BYTES,
    "settings.json": MAX_SMALL_FILE_BYTES,
    "private_notes.csv": MAX_NOTES_BYTES,
}
MEDIA_PATH = re.compile(r"media_attachments/files/(?:[\w-]+/)*[\w.-]+", re.ASCII)

READ_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, struct.error)
_READABLE_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_IS_ENCRYPTED = 0x1
_END, _END_64, _ENTRY = b"PK\x05\x06", b"PK\x06\x07", b"PK\x01\x02"
_END_SIZE, _COMMENT = 22, 65_535


class Source:
    """An uploaded archive, with access to its entries by name."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        entries = {
            entry.filename.replace("\\", "/").removeprefix("./").removeprefix("/"): entry
            for entry in archive.infolist()
        }
        folder = _folder_of(entries)
        self._entries = {name.removeprefix(folder): entry for name, entry in entries.items()}

    def has(self, name: str) -> bool:
        return name in self._entries

    def has_picture(self, name: str) -> bool:
        return MEDIA_PATH.fullmatch(name) is not None and self.has(name)

    def open(self, name: str) -> IO[bytes]:
        return self._archive.open(self._entries[name])

    def read_json(self, name: str) -> Any:
        """Return the value in an entry of up to ``MAX_SMALL_FILE_BYTES``. Raises BadArchive."""
        try:
            with self.open(name) as file:
                return json.loads(file.read(MAX_SMALL_FILE_BYTES).decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise damaged_file_error(file_name=name) from error
        except READ_ERRORS as error:
            raise BadArchive(_("This archive is damaged. Download it again and retry.")) from error

    def check_limits(self, size: int) -> None:
        """Check the entries of an archive of ``size`` bytes. Raises BadArchive."""
        for name in REQUIRED_FILES:
            if not self.has(name):
                raise BadArchive(
                    _(
                        "The file “%(name)s” is missing from this archive. "
                        "Upload the original archive, without changes."
                    )
                    % {"name": name}
                )
        for name, max_bytes in (REQUIRED_FILES | OPTIONAL_FILES).items():
            if self.has(name) and self._entries[name].file_size > max_bytes:
                raise BadArchive(
                    _(
                        "The file “%(name)s” in this archive is too large. "
                        "To import the archive, contact the site administrators."
                    )
                    % {"name": name}
                )
        unpacked_bytes = sum(entry.file_size for entry in self._entries.values())
        if unpacked_bytes > MAX_JSON_BYTES + MAX_MEDIA_EXPANSION * size:
            raise BadArchive(
                _(
                    "This archive is too large when unpacked. "
                    "To import it, contact the site administrators."
                )
            )
        for entry in self._entries.values():
            if entry.flag_bits & _IS_ENCRYPTED or entry.compress_type not in _READABLE_METHODS:
                raise _unsupported_error()


@contextmanager
def open_source(*, file: IO[bytes]) -> Iterator[Source]:
    """Open an archive. Raises BadArchive if the file is not a zip or exceeds a limit."""
    size = file.seek(0, os.SEEK_END)
    try:
        _check_entry_count(file, size)
        archive = zipfile.ZipFile(file)
    except (*READ_ERRORS, ValueError) as error:
        if isinstance(error, BadArchive):
            raise
        raise _no_zip_error() from error
    with archive:
        source = Source(archive)
        source.check_limits(size)
        yield source


def _folder_of(names: Collection[str]) -> str:
    """Return the folder with the files, or "". People unpack an archive and compress its folder again."""
    paths = [name for name in names if f"/{name}".endswith(f"/{MAIN_FILE}")]
    path = min(paths, key=lambda name: name.count("/"), default=MAIN_FILE)
    return path.removesuffix(MAIN_FILE)


def _check_entry_count(file: IO[bytes], size: int) -> None:
    """Raise BadArchive if the archive has more than ``MAX_ENTRIES`` entries.

    This check comes first, because ``zipfile`` would read millions of entries into memory.
    """
    tail_start = max(0, size - _END_SIZE - _COMMENT)
    file.seek(tail_start)
    tail = file.read()
    end = tail.rfind(_END)
    if end < 0 or len(tail) - end < _END_SIZE:
        raise _no_zip_error()
    directory_bytes: Any = struct.unpack_from("<I", tail, end + 12)[0]
    if _END_64 in tail[max(0, end - 20) : end] or directory_bytes > tail_start + end:
        raise _unsupported_error()
    if directory_bytes > MAX_ENTRIES * 256:
        raise _too_many_files_error()
    file.seek(tail_start + end - directory_bytes)
    if file.read(directory_bytes).count(_ENTRY) > MAX_ENTRIES:
        raise _too_many_files_error()


def damaged_file_error(*, file_name: str) -> BadArchive:
    return BadArchive(
        _("The file “%(name)s” in this archive is damaged. Download the archive again and retry.")
        % {"name": file_name}
    )


def _unsupported_error() -> BadArchive:
    return BadArchive(
        _(
            "This archive is encrypted or compressed in an unsupported way. "
            "Upload the original archive, without changes."
        )
    )


def _too_many_files_error() -> BadArchive:
    return BadArchive(
        _("This archive contains too many files. The limit is %(number)d.")
        % {"number": MAX_ENTRIES}
    )


def _no_zip_error() -> BadArchive:
    return BadArchive(
        _(
            "This file is not a zip archive, or the upload was incomplete. "
            "Choose the .zip file and try again."
        )
    )
