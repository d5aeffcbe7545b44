"""Whether a text has one of somebody's phrases in it, in whatever case, width or composition."""

import re
from collections.abc import Iterable
from unicodedata import category, normalize

from .diff import UNSPACED_SCRIPTS


def normalize_text(text: str) -> str:
    """The text as phrases are looked for in it."""
    return normalize("NFKC", text).casefold()


def phrase_pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """Finds any of the phrases in a ``key``; a word only where it is one, and not a part of another."""
    return re.compile("|".join(_bounded(normalize_text(one)) for one in phrases) or r"(?!)")


def _bounded(phrase: str) -> str:
    # Scripts that write words without spaces have no bounds to look at.
    word = re.compile(rf"[^\W{UNSPACED_SCRIPTS}]")
    before = r"(?<!\w)" if word.match(phrase[:1]) else ""
    after = r"(?!\w)" if word.match(phrase[-1:]) else ""
    return before + re.escape(phrase) + after


# MERGED FROM feed.text.phrases: What somebody searches for, taken apart: words, and phrases in quotes.
MAX_PHRASES = 10

_PHRASE = re.compile(r'"([^"]*)"|([^\s"]+)')
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Korean: endings stick to words
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"  # Chinese, Japanese
    "\U00020000-\U0003ffff]"
)


def phrases_in(text: str) -> list[str]:
    """The words and phrases to look for, each once, without the punctuation around them."""
    found = (_bare(one[1] or one[2] or "") for one in _PHRASE.finditer(text))
    return list(dict.fromkeys(filter(None, found)))[:MAX_PHRASES]


def has_unspaced_script(text: str) -> bool:
    """Whether some of it is of a script in which blanks do not tell where words end."""
    return _UNSPACED.search(text) is not None


def _bare(phrase: str) -> str:
    """From the first letter or digit to the last, with what belongs to it; "" if there is none."""
    places = [place for place, sign in enumerate(phrase) if category(sign)[0] in "LNM"]
    return " ".join(phrase[places[0] : places[-1] + 1].split()) if places else ""
