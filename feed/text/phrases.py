"""Find phrases in texts, ignoring case, width and composition, and split search queries into phrases."""

import re
from collections.abc import Iterable
from unicodedata import category, normalize

from .diff import UNSPACED_SCRIPTS

MAX_PHRASES = 10

_PHRASE = re.compile(r'"([^"]*)"|([^\s"]+)')
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Korean: endings stick to words
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"  # Chinese, Japanese
    "\U00020000-\U0003ffff]"
)


def normalize_text(text: str) -> str:
    """Return the text in the form in which ``phrase_pattern`` searches it."""
    return normalize("NFKC", text).casefold()


def phrase_pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of the phrases in a normalized text, as whole words only."""
    return re.compile("|".join(_whole_word(normalize_text(text)) for text in phrases) or r"(?!)")


def phrases_in(text: str) -> list[str]:
    """Return the words and quoted phrases of a search query.

    At most ``MAX_PHRASES``, without duplicates and without the punctuation around them.
    """
    phrases = (_strip_punctuation(match[1] or match[2] or "") for match in _PHRASE.finditer(text))
    return list(dict.fromkeys(filter(None, phrases)))[:MAX_PHRASES]


def has_unspaced_script(text: str) -> bool:
    """Tell whether part of the text is in a script where spaces do not separate words."""
    return _UNSPACED.search(text) is not None


def _whole_word(phrase: str) -> str:
    # Scripts that write words without spaces have no word boundaries.
    word = re.compile(rf"[^\W{UNSPACED_SCRIPTS}]")
    before = r"(?<!\w)" if word.match(phrase[:1]) else ""
    after = r"(?!\w)" if word.match(phrase[-1:]) else ""
    return before + re.escape(phrase) + after


def _strip_punctuation(phrase: str) -> str:
    """Keep the part from the first letter or digit to the last, with marks. "" if there is none."""
    positions = [index for index, char in enumerate(phrase) if category(char)[0] in "LNM"]
    return " ".join(phrase[positions[0] : positions[-1] + 1].split()) if positions else ""
