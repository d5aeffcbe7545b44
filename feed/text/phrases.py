"""Find the phrases of filters in texts.

Matching ignores case, character width, the Unicode composition of accents, the kind of apostrophes and
hyphens, the number of spaces and line breaks between words, and whether an emoji has a variation selector.
"""

import re
from collections.abc import Iterable

from accounts.infra.plain_text import fold_case
from accounts.infra.search_words import UNSPACED

_EQUAL_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u02bc", "'"),
        **dict.fromkeys("\u2010\u2011", "-"),
        **dict.fromkeys("\ufe0e\ufe0f\u00ad", None),
    }
)
_SPACES = re.compile(r"\s+")


def normalize_text(text: str) -> str:
    """Return the text in the normalized form that ``phrase_pattern`` matches."""
    # The first pass lets accents beside a soft hyphen compose. NFKC turns some letters into apostrophes.
    folded = fold_case(text.translate(_EQUAL_CHARACTERS)).translate(_EQUAL_CHARACTERS)
    return _SPACES.sub(" ", folded)


def phrase_pattern(*, whole: Iterable[str], parts: Iterable[str] = ()) -> re.Pattern[str]:
    """Return a pattern that matches any of the phrases in a normalized text.

    Args:
        whole: phrases that match as whole words only.
        parts: phrases that also match inside words.
    """
    alternatives = [_whole_word(phrase) for phrase in map(normalize_text, whole) if phrase]
    alternatives += (re.escape(phrase) for phrase in map(normalize_text, parts) if phrase)
    return re.compile("|".join(alternatives) or r"(?!)")


def _whole_word(phrase: str) -> str:
    # A phrase in a script without spaces may match anywhere, and such letters may surround other phrases.
    letter = rf"[^\W{UNSPACED}]"
    before = rf"(?<!{letter})" if re.match(letter, phrase[:1]) else ""
    after = rf"(?!{letter})" if re.match(letter, phrase[-1:]) else ""
    return before + re.escape(phrase) + after
