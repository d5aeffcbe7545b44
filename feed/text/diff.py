"""Word-by-word differences between two versions of a text.

This module uses the bit-parallel longest common subsequence (Hyyrö, 2004). The algorithm needs one addition
of long integers per word, whatever the text. ``difflib`` would take seconds for repetitive texts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from accounts.infra.search_words import UNSPACED

# In scripts without spaces each character counts as a word.
_WORDS = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+|\s+|.", re.DOTALL)


DiffKind = Literal["same", "added", "removed"]


@dataclass(frozen=True, slots=True)
class DiffSegment:
    """A run of words with the same ``kind``.

    The words are in both versions ("same"), only in the newer version ("added") or only in the older
    version ("removed").
    """

    kind: DiffKind
    text: str


def word_diff(*, old: str, new: str) -> list[DiffSegment]:
    """Return the segments of both versions in reading order.

    The segments "same" and "removed" together are ``old``. The segments "same" and "added" together are
    ``new``.
    """
    changes = list(_changes_from_end(_WORDS.findall(old), _WORDS.findall(new)))[::-1]
    return [
        DiffSegment(kind, "".join(word for _, word in words))
        for kind, words in groupby(_order_removed_first(changes), key=lambda change: change[0])
    ]


def _order_removed_first(changes: list[tuple[DiffKind, str]]) -> Iterator[tuple[DiffKind, str]]:
    """Yield the changes, but move removed words before added words within each changed passage."""
    for _, group in groupby(changes, key=lambda change: change[0] == "same"):
        yield from sorted(group, key=lambda change: change[0] == "added")


def _changes_from_end(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[DiffKind, str]]:
    rows = _subsequence_rows(old, new)
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
    yield from (("added", word) for word in reversed(new[:row]))
    yield from (("removed", word) for word in reversed(old[:column]))


def _subsequence_rows(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Return one integer per word of ``new``, with one bit per word of ``old``.

    Row i describes the longest common subsequence of ``old`` and the first i + 1 words of ``new``. A bit is
    0 where the length of that subsequence grows.
    """
    positions: dict[str, int] = {}
    for position, word in enumerate(old):
        positions[word] = positions.get(word, 0) | 1 << position
    all_bits = (1 << len(old)) - 1
    row, rows = all_bits, list[int]()
    for word in new:
        matches = row & positions.get(word, 0)
        row = (row + matches | row - matches) & all_bits
        rows.append(row)
    return rows
