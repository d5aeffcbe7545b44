"""Find the phrases of filters in texts.

Matching ignores case, character width and the Unicode composition of accents.
"""

import re
from collections.abc import Iterable
from unicodedata import normalize

from .diff import UNSPACED_SCRIPTS


def normalize_text(text: str) -> str:
    """Return the text in the normalized form that ``phrase_pattern`` matches."""
    return normalize("NFKC", text).casefold()


def phrase_pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches any of the phrases in a normalized text, but only as whole words."""
    return re.compile("|".join(_whole_word(normalize_text(text)) for text in phrases) or r"(?!)")


def _whole_word(phrase: str) -> str:
    # In scripts without spaces a phrase may match anywhere, because there are no word boundaries.
    word = re.compile(rf"[^\W{UNSPACED_SCRIPTS}]")
    before = r"(?<!\w)" if word.match(phrase[:1]) else ""
    after = r"(?!\w)" if word.match(phrase[-1:]) else ""
    return before + re.escape(phrase) + after
