"""Parser for edge lists: files with one follow per line.

The graph collections SNAP and KONECT publish such files, and spreadsheets export them. Lines are ``a b`` or
CSV. The file may be compressed with gzip. ``import_graph`` parses the whole file before it writes anything.

Files may be hostile, so lines have a maximum length, and binary or truncated files are refused with a
message.
"""

import csv
import gzip
import io
import re
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.core.exceptions import ValidationError

from accounts import usernames

MAX_LINE_BYTES = 10_000
MAX_BAD_LINES = 20
CHUNK_BYTES, MAX_EXAMINED_BYTES = 1 << 20, 64 << 20
"""Chunk size and maximum number of bytes to read when checking whether a gzip file is damaged."""

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
HEADER = re.compile(
    r"source|target|src|dst|from|to|(from|to)_?(node_?)?id|follow(er|ee|ed)|(id|node|user)_?[12]",
    re.IGNORECASE,
)


class NotAnEdgeList(ValueError):
    """The file is not an edge list. The message is for the operator."""


@dataclass(frozen=True, slots=True)
class BadLine:
    number: int
    text: str
    reason: str


@dataclass(slots=True)
class FollowGraph:
    """The parsed file.

    Attributes:
        names: usernames in the order of the file.
        followers: the distinct followers of each followee. Keys and elements are positions in ``names``.
        bad_lines: the first ``MAX_BAD_LINES`` lines that are not follows.
    """

    names: list[str] = field(default_factory=list)
    followers: dict[int, "array[int]"] = field(default_factory=dict)
    duplicate_count: int = 0
    self_follow_count: int = 0
    bad_line_count: int = 0
    bad_lines: list[BadLine] = field(default_factory=list)

    @property
    def follows(self) -> int:
        return sum(map(len, self.followers.values()))


def read_edge_list(*, path: Path, prefix: str, mutual: bool) -> FollowGraph:
    """Parse the file. Raises NotAnEdgeList.

    Usernames are ``prefix`` and the id in the file, in lower case. With ``mutual``, the two users of a
    line follow each other.
    """
    parser = _EdgeListParser(prefix, mutual)
    try:
        with _open_file(path) as file:
            try:
                for number, line in enumerate(_read_lines(file), start=1):
                    parser.parse_line(number, line)
            except ValueError:
                _check_gzip(file)
                raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise NotAnEdgeList(f"{path}: the gzip file is damaged or cut off.") from error
    except OSError as error:
        raise NotAnEdgeList(f"{path}: {error.strerror or error}.") from error
    except ValueError as error:
        raise NotAnEdgeList(f"{path}: {error}") from error
    return parser.finish()


class _EdgeListParser:
    def __init__(self, prefix: str, mutual: bool) -> None:
        self._prefix, self._mutual = prefix, mutual
        self._graph = FollowGraph()
        self._positions: dict[str, int] = {}
        # The keys are ids as the file writes them. These ids have been validated already.
        self._positions_by_id: dict[str, int] = {}
        self._is_csv: bool | None = None

    def parse_line(self, number: int, line: str) -> None:
        if not line:
            return
        is_first = self._is_csv is None
        if is_first:
            self._is_csv = "," in line
        try:
            follower_id, followee_id = self._split_ids(line)
            if is_first and HEADER.fullmatch(follower_id) and HEADER.fullmatch(followee_id):
                return
            self._add_follow(follower_id, followee_id)
        except _BadLineError as error:
            self._graph.bad_line_count += 1
            if len(self._graph.bad_lines) < MAX_BAD_LINES:
                self._graph.bad_lines.append(BadLine(number, line[:60], str(error)))

    def finish(self) -> FollowGraph:
        """Drop duplicates and return the graph.

        Parsing keeps duplicates. Finding duplicates earlier would need sets, which take much more memory
        than the four bytes per follow of an array.
        """
        graph, dropped_count = self._graph, 0
        for followee, followers in graph.followers.items():
            unique_followers = array("I", dict.fromkeys(followers))
            dropped_count += len(followers) - len(unique_followers)
            graph.followers[followee] = unique_followers
        graph.duplicate_count = dropped_count // 2 if self._mutual else dropped_count
        return graph

    def _split_ids(self, line: str) -> tuple[str, str]:
        columns = self._split_csv(line) if self._is_csv else line.split()
        if len(columns) < 2:
            raise _BadLineError("only one column")
        if not self._is_csv and not all(map(NUMBER.fullmatch, columns[2:])):
            # Further columns of an edge list are numbers, such as weights and times. Words mean that the
            # file is not an edge list.
            raise _BadLineError("more than two ids")
        return columns[0], columns[1]

    @staticmethod
    def _split_csv(line: str) -> list[str]:
        if '"' not in line:
            return [column.strip() for column in line.split(",")]
        try:
            columns = next(csv.reader([line], strict=True, skipinitialspace=True))
        except csv.Error as error:
            raise _BadLineError(str(error)) from error
        return [column.strip() for column in columns]

    def _add_follow(self, follower_id: str, followee_id: str) -> None:
        follower = self._positions_by_id.get(follower_id)
        followee = self._positions_by_id.get(followee_id)
        if follower is None or followee is None:
            names = self._username(follower_id), self._username(followee_id)
            if names[0] != names[1]:
                follower = self._position(follower_id, names[0])
                followee = self._position(followee_id, names[1])
        if follower == followee:
            self._graph.self_follow_count += 1
            return
        assert follower is not None and followee is not None  # noqa: PT018 - narrows the types
        self._graph.followers.setdefault(followee, array("I")).append(follower)
        if self._mutual:
            self._graph.followers.setdefault(follower, array("I")).append(followee)

    def _username(self, file_id: str) -> str:
        if not file_id:
            raise _BadLineError("an id is missing")
        name = (self._prefix + file_id).lower()
        if len(name) > usernames.MAX_LENGTH:
            raise _BadLineError(f"an id is too long for a username ({usernames.MAX_LENGTH})")
        try:
            for validate in usernames.sign_up_validators:
                validate(name)
        except ValidationError as error:
            raise _BadLineError(f"{file_id[:40]!r} cannot be part of a username") from error
        return name

    def _position(self, file_id: str, name: str) -> int:
        position = self._positions.setdefault(name, len(self._graph.names))
        if position == len(self._graph.names):
            self._graph.names.append(name)
        self._positions_by_id[file_id] = position
        return position


class _BadLineError(ValueError):
    """The line is not a follow. The message gives the reason."""


@contextmanager
def _open_file(path: Path) -> Iterator[io.BufferedIOBase]:
    with path.open("rb") as file:
        is_gzip = file.read(2) == GZIP_MAGIC
        file.seek(0)
        yield gzip.GzipFile(fileobj=file) if is_gzip else file


def _check_gzip(file: io.BufferedIOBase) -> None:
    """Read more of the file. If the file is damaged, ``gzip`` raises its error.

    A damaged gzip file may decompress to text that is not an edge list. The error of ``gzip`` then explains
    the problem better than the error of the parser.
    """
    if isinstance(file, gzip.GzipFile):
        for _part in range(MAX_EXAMINED_BYTES // CHUNK_BYTES):
            if not file.read(CHUNK_BYTES):
                return


def _read_lines(file: io.BufferedIOBase) -> Iterator[str]:
    """Yield stripped lines, and "" for comments. Raises ValueError for lines that are not text."""
    number = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) > MAX_LINE_BYTES:
            raise ValueError(
                f"line {number} is longer than {MAX_LINE_BYTES:,} bytes. The file is not an edge list."
            )
        if number == 1:
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        if raw.startswith((b"#", b"%")):
            raw = b""  # comments may have any encoding, so do not decode them
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            raise ValueError(f"line {number} is not UTF-8 text.") from None
        if "\0" in text:
            raise ValueError(f"line {number} is binary data, not text.")
        yield text.strip()
