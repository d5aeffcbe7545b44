"""Write and read long lists, one element at a time, so that a list of any length fits into memory.

A list in JSON is the ``orderedItems`` of an OrderedCollection
(https://www.w3.org/TR/activitystreams-vocabulary). CSV files may come from a spreadsheet program.
"""

import codecs
import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from typing import IO, Any

from .source import Source, damaged_file_error

CHUNK_CHARACTERS = 64 * 1024
MAX_ITEM_CHARACTERS = 1_000_000
"""Maximum length of one element. A post with all metadata of Mastodon has a few thousand characters."""

ITEMS_KEY = "orderedItems"
ACTIVITYSTREAMS_CONTEXT = "https://www.w3.org/ns/activitystreams"
_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
MAX_ROW_CHARACTERS = 50_000
"""Ten times the longest note of the site. It also limits the number of columns in memory."""

SAMPLE_BYTES = 65_536
SAMPLE_ROWS = 100
ENCODINGS = ("utf-16", "utf-8-sig", "utf-16-le", "utf-16-be")
DELIMITERS = (",", ";", "\t")
"""Programs in countries with decimal commas separate values by semicolons."""

_HANDLE = re.compile(r"\s*@?[\w.]+(?:@[\w.:-]+)?\s*", re.ASCII)


def write_items(
    *,
    zip_file: zipfile.ZipFile,
    name: str,
    items: Iterable[Any],
    context: Any = ACTIVITYSTREAMS_CONTEXT,
) -> None:
    count = 0
    with zip_file.open(name, "w") as out:
        head = {"@context": context, "id": name, "type": "OrderedCollection"}
        out.write(json.dumps(head)[:-1].encode() + f', "{ITEMS_KEY}": ['.encode())
        for count, element in enumerate(items, 1):
            out.write(b",\n" if count > 1 else b"\n")
            out.write(json.dumps(element, ensure_ascii=False).encode())
        out.write(f'\n], "totalItems": {count}}}\n'.encode())


def read_items(*, file: IO[bytes], file_name: str) -> Iterator[Any]:
    """Yield the elements of ``orderedItems``, at any position in the object. Raises BadArchive."""
    try:
        yield from _find_elements(_JsonStream(file))
    except (ValueError, RecursionError) as error:
        raise damaged_file_error(file_name=file_name) from error


def _find_elements(text: "_JsonStream") -> Iterator[Any]:
    text.expect("{")
    has_list = False
    while True:
        key = text.value()
        text.expect(":")
        if key == ITEMS_KEY:
            has_list = True
            yield from _read_elements(text)
        else:
            text.value()
        if text.peek() == "}":
            break
        text.expect(",")
    if not has_list:
        raise ValueError("There is no list.")


def _read_elements(text: "_JsonStream") -> Iterator[Any]:
    text.expect("[")
    if text.peek() != "]":
        yield text.value()
        while text.peek() == ",":
            text.expect(",")
            yield text.value()
    text.expect("]")


class _JsonStream:
    """Parses a file in chunks. Raises ValueError or RecursionError if the file is not valid JSON."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = io.TextIOWrapper(file, encoding="utf-8-sig")
        self._buffer, self._position = "", 0

    def peek(self) -> str:
        """Return the next character that is not white space, without consuming it."""
        while True:
            self._position = _BLANK.match(self._buffer, self._position).end()  # type: ignore[union-attr]
            if self._position < len(self._buffer):
                return self._buffer[self._position]
            if not self._read_more():
                raise ValueError("It ends too early.")

    def expect(self, character: str) -> None:
        if self.peek() != character:
            raise ValueError(f"There is no {character}")
        self._position += 1

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._position)
            except json.JSONDecodeError:
                # The value may continue after the buffer. The buffer is doubled, so that the time for
                # parsing stays proportional to the length of the value.
                if (
                    len(self._buffer) - self._position > MAX_ITEM_CHARACTERS
                    or not self._read_more()
                ):
                    raise
                continue
            if end == len(self._buffer) and self._read_more():
                continue  # a number may continue in the next chunk
            self._position = end
            return value

    def _read_more(self) -> bool:
        self._buffer = self._buffer[self._position :]
        self._position = 0
        chunk = self._file.read(max(CHUNK_CHARACTERS, len(self._buffer)))
        self._buffer += chunk
        return bool(chunk)


def rows_of(*, source: Source, name: str, handle_column: int) -> Iterator[list[str]]:
    """Yield the rows of a file, without empty rows. A missing file has none. Raises BadArchive.

    The file is in UTF-8 or UTF-16. Its encoding and delimiter are the first of ``ENCODINGS`` and
    ``DELIMITERS`` that yield handles in column ``handle_column``.
    """
    if not source.has(name):
        return
    with source.open(name) as file:
        sample = file.read(SAMPLE_BYTES)
    has_handles = partial(_has_handles, sample, handle_column)
    forms = filter(has_handles, product(ENCODINGS, DELIMITERS))
    encoding, delimiter = next(forms, ("utf-8-sig", DELIMITERS[0]))
    with source.open(name) as file:
        text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="")
        length = 0

        def lines() -> Iterator[str]:
            nonlocal length
            while line := text.readline(MAX_ROW_CHARACTERS):
                length += len(line)
                if length >= MAX_ROW_CHARACTERS:
                    raise damaged_file_error(file_name=name)
                yield line

        try:
            for row in csv.reader(lines(), delimiter=delimiter):
                length = 0
                if row:
                    yield row
        except csv.Error as error:
            raise damaged_file_error(file_name=name) from error


def _has_handles(sample: bytes, handle_column: int, form: tuple[str, str]) -> bool:
    encoding, delimiter = form
    # The sample may end within a row, and "utf-16" needs a byte order mark.
    with suppress(csv.Error, UnicodeError):
        text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
        for row in csv.reader(text.splitlines()[:SAMPLE_ROWS], delimiter=delimiter):
            if len(row) > handle_column and _HANDLE.fullmatch(row[handle_column]):
                return True
    return False
