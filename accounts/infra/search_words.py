"""Split texts and queries into the words by which the search finds users and posts.

Words are *folded*: case, accents and character width do not matter. Some scripts do not separate words with
spaces (Chinese, Japanese, Thai) or attach endings to words (Korean). They are split into pairs of
neighbouring characters. A query in such a script has all pairs of its text, so it also matches inside of a
sentence.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, pairwise
from unicodedata import category, normalize

from .plain_text import fold_case

MAX_WORD_LENGTH = 30
"""Longer words are cut, in the index and in queries."""

_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "ħ": "h",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        # Letters that people interchange in Arabic: alef maqsura and ya, ta marbuta and ha. Persian
        # keyboards have another ya and kaf.
        "\u0649": "\u064a",
        "\u0629": "\u0647",
        "\u06cc": "\u064a",
        "\u06a9": "\u0643",
    }
)
_ACCENTS = re.compile(
    "[\u0300-\u036f"  # Latin, Greek, Cyrillic
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points
    "\u0610-\u061a\u0640\u064b-\u065f\u0670]"  # Arabic vowel signs and elongation
)
UNSPACED = (  # Thai to Khmer, then Korean, then Chinese and Japanese with Yi and Tangut
    r"\u0e00-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
    r"\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff\u3005-\u3007\u303b\u3040-\u31ff\u3400-\ua4cf\uf900-\ufaff"
    r"\uff66-\uffdc\U00016fe0-\U00018d8f\U0001aff0-\U0001b2ff\U00020000-\U0003ffff"
)
"""Letters, for [], of scripts without spaces, and of Korean, which attaches endings to words."""

_UNSPACED = re.compile(f"[{UNSPACED}]")
_APOSTROPHES = re.compile("(?<=\\w)['\u2019\u02bc](?=\\w)")


def fold_text(text: str) -> str:
    """Return the text without differences of case, accents and character width."""
    without_accents = _ACCENTS.sub("", normalize("NFD", fold_case(text)))
    return normalize("NFC", without_accents).translate(_LETTERS)


def search_words(text: str) -> list[str]:
    """Return the distinct folded words of a text, in order of their first appearance.

    A word with an apostrophe is also a word without it: "O'Brien" has the words "o", "brien" and "obrien".
    A character of a script without spaces is a word, too, so that a query of one character finds it.
    """
    folded = fold_text(text)
    words = list(_words(folded, with_characters=True))
    without = _APOSTROPHES.sub("", folded)
    if without != folded:
        words += _words(without, with_characters=False)
    return list(dict.fromkeys(words))


def query_words(text: str) -> list[str]:
    """Return the distinct folded words that a text must have to match a query."""
    return list(dict.fromkeys(_words(fold_text(text), with_characters=False)))


def phrase_form(text: str) -> str:
    """Return the text in the form that ``contains_phrase`` compares: folded words with single spaces."""
    return " ".join(run for run, _ in _runs(fold_text(text)))


def contains_phrase(form: str, phrase: str) -> bool:
    """Return whether a text contains a phrase as whole words. Both are in ``phrase_form``.

    In scripts without spaces, a phrase may begin and end anywhere.
    """
    before = "" if is_unspaced(phrase[:1]) else r"(?<!\S)"
    after = "" if is_unspaced(phrase[-1:]) else r"(?!\S)"
    return _pattern(before + re.escape(phrase) + after).search(form) is not None


def is_unspaced(text: str) -> bool:
    """Return whether the text has a character of a script that is split into pairs."""
    return _UNSPACED.search(text) is not None


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _words(folded: str, *, with_characters: bool) -> Iterator[str]:
    for run, are_pairs in _runs(folded):
        if not are_pairs:
            yield run[:MAX_WORD_LENGTH]
        elif len(run) == 1:
            yield run
        else:
            yield from map("".join, pairwise(run))
            if with_characters:
                yield from run


def _runs(folded: str) -> Iterator[tuple[str, bool]]:
    """Yield each word, and whether its script has no spaces. An emoji or other symbol is a word."""
    for kind, group in groupby(folded, key=_character_class):
        if kind == "symbol":
            yield from ((char, False) for char in group)
        elif kind:
            yield "".join(group), kind == "unspaced"


@lru_cache(maxsize=4096)
def _character_class(char: str) -> str:
    if _UNSPACED.match(char):
        return "unspaced" if category(char)[0] in "LMN" else ""
    if category(char)[0] in "LMN":
        return "word"
    return "symbol" if category(char) == "So" else ""
