"""Read the CSV files of an archive, also those that a spreadsheet program has saved."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress

from .source import Source, damaged_file_error

MAX_ROW_CHARACTERS = 50_000
"""Ten times the longest note of the site. It also limits the number of columns in memory."""

SAMPLE_BYTES = 65_536
SAMPLE_ROWS = 100
DELIMITERS = (",", ";", "\t")
"""Programs in countries with decimal commas separate values by semicolons."""

_HANDLE = re.compile(r"\s*@?[\w.]+(?:@[\w.:-]+)?\s*", re.ASCII)


def rows_of(*, source: Source, name: str, handle_column: int) -> Iterator[list[str]]:
    """Yield the rows of a file, without empty rows. A missing file has none. Raises BadArchive.

    The file is in UTF-8, or in UTF-16 with a byte order mark. Its delimiter is the first one of
    ``DELIMITERS`` that yields handles in column ``handle_column``.
    """
    if not source.has(name):
        return
    with source.open(name) as file:
        sample = file.read(SAMPLE_BYTES)
    is_utf_16 = sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if is_utf_16 else "utf-8-sig"
    delimiter = _delimiter(sample.decode(encoding, "replace"), handle_column)
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


def is_true(value: str) -> bool:
    """Return whether a value is true. Spreadsheet programs change it to capital letters."""
    return value.strip().lower() == "true"


def is_false(value: str) -> bool:
    return value.strip().lower() == "false"


def _delimiter(sample: str, handle_column: int) -> str:
    def count_handles(delimiter: str) -> int:
        count = 0
        with suppress(csv.Error):  # the sample may end within a row
            for row in csv.reader(sample.splitlines()[:SAMPLE_ROWS], delimiter=delimiter):
                count += (
                    len(row) > handle_column and _HANDLE.fullmatch(row[handle_column]) is not None
                )
        return count

    return next(filter(count_handles, DELIMITERS), DELIMITERS[0])
