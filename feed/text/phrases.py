"""Split search queries into phrases, and find phrases in texts.

Matching ignores case, character width and the Unicode composition of accents.
"""

import re
from collections.abc import Iterable
from unicodedata import category, normalize

from .diff import UNSPACED_SCRIPTS

MAX_PHRASES = 10

_PHRASE = re.compile(r'"([^"]*)"|([^\s"]+)')
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Korean has spaces, but endings stick to words
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"  # Chinese, Japanese
    "\U00020000-\U0003ffff]"
)


def normalize_text(text: str) -> str:
    """Return the text in the normalized form that ``phrase_pattern`` matches."""
    return normalize("NFKC", text).casefold()


def phrase_pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches any of the phrases in a normalized text, but only as whole words."""
    return re.compile("|".join(_whole_word(normalize_text(text)) for text in phrases) or r"(?!)")


def phrases_in(text: str) -> list[str]:
    """Return the words and quoted phrases of a search query.

    The result has at most ``MAX_PHRASES`` phrases, without duplicates and without surrounding punctuation.
    """
    phrases = (_strip_punctuation(match[1] or match[2] or "") for match in _PHRASE.finditer(text))
    return list(dict.fromkeys(filter(None, phrases)))[:MAX_PHRASES]


def has_unspaced_script(text: str) -> bool:
    """Return whether the text has characters of a script where spaces do not separate words."""
    return _UNSPACED.search(text) is not None


def _whole_word(phrase: str) -> str:
    # In scripts without spaces a phrase may match anywhere, because there are no word boundaries.
    word = re.compile(rf"[^\W{UNSPACED_SCRIPTS}]")
    before = r"(?<!\w)" if word.match(phrase[:1]) else ""
    after = r"(?!\w)" if word.match(phrase[-1:]) else ""
    return before + re.escape(phrase) + after


def _strip_punctuation(phrase: str) -> str:
    """Return the phrase from its first to its last letter, digit or mark, or "" if it has none."""
    positions = [index for index, char in enumerate(phrase) if category(char)[0] in "LNM"]
    return " ".join(phrase[positions[0] : positions[-1] + 1].split()) if positions else ""
