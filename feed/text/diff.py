"""What has changed between two versions of a text, word by word.

The longest common subsequence, by bits (Hyyrö, 2004): whatever the texts, the time is that of one addition
of long integers for each word. ``difflib`` takes seconds for texts that repeat themselves.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

# Scripts that write words without spaces change sign by sign.
UNSPACED_SCRIPTS = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORDS = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\W{UNSPACED_SCRIPTS}]+|\s+|.", re.DOTALL)


DiffKind = Literal["same", "added", "removed"]


@dataclass(frozen=True, slots=True)
class DiffSegment:
    """Words that both versions have, or only the newer ("added"), or only the older ("removed")."""

    kind: DiffKind
    text: str


def word_diff(*, old: str, new: str) -> list[DiffSegment]:
    """Both versions in one; without what was added it is the older, without what was removed the newer."""
    changes = list(_changes(_WORDS.findall(old), _WORDS.findall(new)))[::-1]
    return [
        DiffSegment(kind, "".join(word for _, word in words))
        for kind, words in groupby(_removed_first(changes), key=lambda one: one[0])
    ]


def _removed_first(changes: list[tuple[DiffKind, str]]) -> Iterator[tuple[DiffKind, str]]:
    """Between words that both have, first all that was removed, then all that was added."""
    for _, stretch in groupby(changes, key=lambda one: one[0] == "same"):
        yield from sorted(stretch, key=lambda one: one[0] == "added")


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[DiffKind, str]]:
    """Word by word, from the end."""
    rows = _rows(old, new)
    row, column = len(new), len(old)
    while row and column:
        if rows[row - 1] >> (column - 1) & 1:
            column -= 1
            yield "removed", old[column]
        else:
            row -= 1
            if row and not rows[row - 1] >> (column - 1) & 1:
                yield "added", new[row]
            else:
                column -= 1
                yield "same", old[column]
    yield from (("added", one) for one in reversed(new[:row]))
    yield from (("removed", one) for one in reversed(old[:column]))


def _rows(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """For each word of ``new`` a bit for each of ``old``: 0 where the subsequence grows."""
    places: dict[str, int] = {}
    for place, word in enumerate(old):
        places[word] = places.get(word, 0) | 1 << place
    every = (1 << len(old)) - 1
    row, rows = every, list[int]()
    for word in new:
        met = row & places.get(word, 0)
        row = (row + met | row - met) & every
        rows.append(row)
    return rows
