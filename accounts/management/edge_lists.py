"""Reads who follows whom from a file, as SNAP, KONECT and spreadsheets write it: a pair on each line.

``a b`` or CSV, plain or gzip. The whole file is read and judged before ``import_graph`` writes
anything. A file may be hostile: it is read in lines of limited length, and whatever is no text, or is
cut off, is refused with one sentence.
"""

import csv
import gzip
import io
import re
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.core.exceptions import ValidationError

from accounts import usernames

MAX_LINE_BYTES = 10_000
MAX_BAD_LINES = 20
CHUNK_BYTES, MAX_EXAMINED_BYTES = 1 << 20, 64 << 20
"""Bytes of a bad gzip file that are read to find out whether it is damaged."""

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
HEADER = re.compile(
    r"source|target|src|dst|from|to|(from|to)_?(node_?)?id|follow(er|ee|ed)|(id|node|user)_?[12]",
    re.IGNORECASE,
)


class NotAnEdgeList(ValueError):
    """The file cannot be read as a whole; the message is for the operator."""


@dataclass(frozen=True, slots=True)
class BadLine:
    number: int
    text: str
    reason: str


@dataclass(slots=True)
class FollowGraph:
    """``names``: user names in the order of the file. ``followers``: positions in ``names`` of the
    followers of the person at each position, each once. Of the ``bad`` lines the first ``SHOWN``."""

    names: list[str] = field(default_factory=list)
    followers: dict[int, "array[int]"] = field(default_factory=dict)
    line_count: int = 0
    duplicate_count: int = 0
    self_follow_count: int = 0
    bad_line_count: int = 0
    bad_lines: list[BadLine] = field(default_factory=list)

    @property
    def follows(self) -> int:
        return sum(map(len, self.followers.values()))


def read_edge_list(*, path: Path, prefix: str, mutual: bool) -> FollowGraph:
    """The graph in a file; with ``mutual``, both people of a line follow each other.

    People are named ``prefix`` + the file's id, in lower case. Raises NotAnEdgeList.
    """
    reader = _Reader(prefix, mutual)
    try:
        with _opened(path) as file:
            try:
                for number, line in enumerate(_lines(file), start=1):
                    reader.take(number, line)
            except ValueError:
                _refuse_damaged(file)
                raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise NotAnEdgeList(f"{path}: the gzip file is damaged or cut off.") from error
    except OSError as error:
        raise NotAnEdgeList(f"{path}: {error.strerror or error}.") from error
    except ValueError as error:
        raise NotAnEdgeList(f"{path}: {error}") from error
    return reader.finished()


class _Reader:
    def __init__(self, prefix: str, mutual: bool) -> None:
        self._prefix, self._mutual = prefix, mutual
        self._graph = FollowGraph()
        self._positions: dict[str, int] = {}
        self._known: dict[str, int] = {}  # as written in the file: a short cut for a second look
        self._is_csv: bool | None = None

    def take(self, number: int, line: str) -> None:
        if not line:
            return
        first = self._is_csv is None
        if first:
            self._is_csv = "," in line
        try:
            one, other = self._ids(line)
            if first and HEADER.fullmatch(one) and HEADER.fullmatch(other):
                return
            self._graph.line_count += 1
            self._add(one, other)
        except _Bad as error:
            self._graph.bad_line_count += 1
            if len(self._graph.bad_lines) < MAX_BAD_LINES:
                self._graph.bad_lines.append(BadLine(number, line[:60], str(error)))

    def finished(self) -> FollowGraph:
        """Drop what came twice: here at once, so that reading needs four bytes an edge."""
        graph, dropped = self._graph, 0
        for followee, followers in graph.followers.items():
            once = array("I", dict.fromkeys(followers))
            dropped += len(followers) - len(once)
            graph.followers[followee] = once
        graph.duplicate_count = dropped // 2 if self._mutual else dropped
        return graph

    def _ids(self, line: str) -> tuple[str, str]:
        columns = self._csv_columns(line) if self._is_csv else line.split()
        if len(columns) < 2:
            raise _Bad("only one column")
        if not self._is_csv and not all(map(NUMBER.fullmatch, columns[2:])):
            # Weights and times may follow; words mean that this is prose and no edge list.
            raise _Bad("more than two ids")
        return columns[0], columns[1]

    @staticmethod
    def _csv_columns(line: str) -> list[str]:
        if '"' not in line:
            return [column.strip() for column in line.split(",")]
        try:
            columns = next(csv.reader([line], strict=True, skipinitialspace=True))
        except csv.Error as error:
            raise _Bad(str(error)) from error
        return [column.strip() for column in columns]

    def _add(self, one: str, other: str) -> None:
        a, b = self._known.get(one), self._known.get(other)
        if a is None or b is None:
            names = self._name(one), self._name(other)
            if names[0] != names[1]:
                a, b = self._position(one, names[0]), self._position(other, names[1])
        if a == b:
            self._graph.self_follow_count += 1
            return
        assert a is not None and b is not None  # noqa: S101, PT018 - for the type checker
        self._graph.followers.setdefault(b, array("I")).append(a)
        if self._mutual:
            self._graph.followers.setdefault(a, array("I")).append(b)

    def _name(self, written: str) -> str:
        if not written:
            raise _Bad("an id is missing")
        name = (self._prefix + written).lower()
        if len(name) > usernames.MAX_LENGTH:
            raise _Bad(f"an id is too long for a user name ({usernames.MAX_LENGTH})")
        try:
            for validate in usernames.sign_up_validators:
                validate(name)
        except ValidationError as error:
            raise _Bad(f"{written[:40]!r} cannot be in a user name") from error
        return name

    def _position(self, written: str, name: str) -> int:
        position = self._positions.setdefault(name, len(self._graph.names))
        if position == len(self._graph.names):
            self._graph.names.append(name)
        self._known[written] = position
        return position


class _Bad(ValueError):
    """Why a line is no edge."""


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedIOBase]:
    with path.open("rb") as file:
        packed = file.read(2) == GZIP_MAGIC
        file.seek(0)
        yield gzip.GzipFile(fileobj=file) if packed else file


def _refuse_damaged(file: io.BufferedIOBase) -> None:
    """Read on, for a damaged gzip file may look like text that is no edge list. Raises as gzip does."""
    if isinstance(file, gzip.GzipFile):
        for _part in range(MAX_EXAMINED_BYTES // CHUNK_BYTES):
            if not file.read(CHUNK_BYTES):
                return


def _lines(file: io.BufferedIOBase) -> Iterator[str]:
    """Lines without their ends, comments as empty ones. Raises ValueError for what is no text."""
    number = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) > MAX_LINE_BYTES:
            raise ValueError(
                f"line {number} is longer than {MAX_LINE_BYTES:,} bytes; no edge list."
            )
        if number == 1:
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        if raw.startswith((b"#", b"%")):
            raw = b""  # a comment, in whatever encoding
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            raise ValueError(f"line {number} is not UTF-8 text.") from None
        if "\0" in text:
            raise ValueError(f"line {number} is binary data, not text.")
        yield text.strip()


# MERGED FROM accounts.management.edge_lists: Cuts a follow graph into pieces for ``accounts.services.add_followers``.
def follow_batches(
    *, followers: Mapping[int, Sequence[int]], uids: Sequence[int], size: int
) -> Iterator[dict[int, list[int]]]:
    """Uids of followers by followee, ``size`` follows at a time.

    ``followers``: the same as positions in ``uids``.
    """
    batch: dict[int, list[int]] = {}
    room = size
    for followee, positions in followers.items():
        done = 0
        while done < len(positions):
            part = positions[done : done + room]
            batch[uids[followee]] = [uids[position] for position in part]
            done += len(part)
            room -= len(part)
            if not room:
                yield batch
                batch, room = {}, size
    if batch:
        yield batch
