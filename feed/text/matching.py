"""Whether a text has one of somebody's phrases in it, in whatever case, width or composition."""

import re
from collections.abc import Iterable
from unicodedata import normalize

from .differing import UNSPACED


def key(text: str) -> str:
    """The text as phrases are looked for in it."""
    return normalize("NFKC", text).casefold()


def pattern_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """Finds any of the phrases in a ``key``; a word only where it is one, and not a part of another."""
    return re.compile("|".join(_bounded(key(one)) for one in phrases) or r"(?!)")


def _bounded(phrase: str) -> str:
    # Scripts that write words without spaces have no bounds to look at.
    word = re.compile(rf"[^\W{UNSPACED}]")
    before = r"(?<!\w)" if word.match(phrase[:1]) else ""
    after = r"(?!\w)" if word.match(phrase[-1:]) else ""
    return before + re.escape(phrase) + after
