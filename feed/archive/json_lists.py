"""Long lists in JSON, written and read one item at a time: memory does not grow with their length.

The list is the ``orderedItems`` of an OrderedCollection (https://www.w3.org/TR/activitystreams-vocabulary).
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.utils.translation import gettext as _

from .source import BadArchive

CHUNK_CHARACTERS = 64 * 1024
MAX_ITEM_CHARACTERS = 1_000_000
"""Characters. A post with all Mastodon says about it has some thousand."""

ITEMS_KEY = "orderedItems"
ACTIVITYSTREAMS_CONTEXT = "https://www.w3.org/ns/activitystreams"
_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@contextmanager
def write_collection(
    *, zip_file: zipfile.ZipFile, name: str, context: Any = ACTIVITYSTREAMS_CONTEXT
) -> Iterator[Callable[[Any], None]]:
    """Yields what adds an item."""
    count = 0

    def add(item: Any) -> None:
        nonlocal count
        out.write(b",\n" if count else b"\n")
        out.write(json.dumps(item, ensure_ascii=False).encode())
        count += 1

    with zip_file.open(name, "w") as out:
        head = {"@context": context, "id": name, "type": "OrderedCollection"}
        out.write(json.dumps(head)[:-1].encode() + f', "{ITEMS_KEY}": ['.encode())
        yield add
        out.write(f'\n], "totalItems": {count}}}\n'.encode())


def read_items(*, file: IO[bytes], file_name: str) -> Iterator[Any]:
    """The items of such a list, wherever in the object it is. Raises BadArchive. ``name``: of the file."""
    try:
        yield from _items(_Text(file))
    except (ValueError, RecursionError) as error:
        raise damaged_file_error(file_name=file_name) from error


def damaged_file_error(*, file_name: str) -> BadArchive:
    return BadArchive(_("“%(name)s” in this archive is damaged.") % {"name": file_name})


def _items(text: "_Text") -> Iterator[Any]:
    text.expect("{")
    found = False
    while True:
        key = text.value()
        text.expect(":")
        if key == ITEMS_KEY:
            found = True
            yield from _elements(text)
        else:
            text.value()
        if text.peek() == "}":
            break
        text.expect(",")
    if not found:
        raise ValueError("There is no list.")


def _elements(text: "_Text") -> Iterator[Any]:
    text.expect("[")
    if text.peek() != "]":
        yield text.value()
        while text.peek() == ",":
            text.expect(",")
            yield text.value()
    text.expect("]")


class _Text:
    """The text of a file, a piece at a time. Raises ValueError or RecursionError for what is no JSON."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = io.TextIOWrapper(file, encoding="utf-8-sig")
        self._held, self._at = "", 0

    def peek(self) -> str:
        """The next sign that is no blank."""
        while True:
            self._at = _BLANK.match(self._held, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                raise ValueError("It ends too early.")

    def expect(self, sign: str) -> None:
        if self.peek() != sign:
            raise ValueError(f"There is no {sign}")
        self._at += 1

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError:
                # Half of it may be all that was read. Twice as much each time: no text is read often.
                if len(self._held) - self._at > MAX_ITEM_CHARACTERS or not self._more():
                    raise
                continue
            if end == len(self._held) and self._more():
                continue  # a number may go on
            self._at = end
            return value

    def _more(self) -> bool:
        self._held = self._held[self._at :]
        self._at = 0
        more = self._file.read(max(CHUNK_CHARACTERS, len(self._held)))
        self._held += more
        return bool(more)
