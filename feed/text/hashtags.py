"""``#tag`` in a text of any script, by the published rules of twitter-text.

One walk by Unicode category instead of an expression: Python's have no classes for letters and marks.
"""

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from .syntax import HASH, TextSpan

_SIGN = re.compile(rf"[{HASH}](?![\ufe0f\u20e3])")  # else it is the picture of a telephone's key
_GOES_ON = re.compile(rf"[{HASH}]|://")

_JOINERS = "\u200c\u200d"
_ALSO = frozenset(
    "_\u00b7"  # il·lusió
    + _JOINERS  # Persian, Sinhala
    + "\ua67e"  # old Cyrillic
    + "\u05be\u05f3\u05f4"  # Hebrew
    + "\u0f0b\u0f0c"  # Tibetan
    + "\u3003\u301c\uff5e\u309b\u309c\u30a0\u30fb"  # Japanese
)
_LOOKS = "\ufe0e\ufe0f"
"""They choose how the emoji before them looks; in Unicode they are marks, here they end a word."""


def hashtags_in(text: str) -> Iterator[TextSpan]:
    """The hashtags of a text, in its order; each has at least one letter."""
    for sign in _SIGN.finditer(text):
        start = sign.start()
        if start and not _may_precede(text[start - 1]):
            continue
        end = _end_of_tag(text=text, start=start + 1)
        tag = text[start + 1 : end]
        if _GOES_ON.match(text, end) or not any(category(one)[0] == "L" for one in tag):
            continue
        tag = tag.rstrip(_JOINERS)  # or one tag would be two that look the same
        yield TextSpan("hashtag", start, start + 1 + len(tag), tag)


def tag_key(tag: str) -> str:
    """One key for all spellings of a tag: in capitals and small letters, in full width and half."""
    return normalize("NFC", normalize("NFKC", tag).lower())


def is_tag_key(text: str) -> bool:
    """Whether a tag can have this key. A few letters stand for marks, blanks and a tilde."""
    return (
        text == tag_key(text)
        and any(category(one)[0] in "LM" for one in text)
        and all(_in_tag(one) or one in " ~" for one in text)
    )


def _may_precede(one: str) -> bool:
    return one in _LOOKS or not (one == "&" or _in_tag(one))


def _end_of_tag(*, text: str, start: int) -> int:
    """A sign of a tag is never part of one, so all walks together pass over the text once."""
    while start < len(text) and _in_tag(text[start]):
        start += 1
    return start


def _in_tag(one: str) -> bool:
    return category(one)[0] in "LM" or category(one) == "Nd" or one in _ALSO
