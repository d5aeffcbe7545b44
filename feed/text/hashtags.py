"""Hashtags in a text of any script, by the published rules of twitter-text.

The code checks the Unicode category of each character, because Python's regular expressions have no classes
for letters and marks.
"""

import re
from collections.abc import Iterator
from unicodedata import category

from accounts.infra.plain_text import fold_case, is_ignorable

from .syntax import HASH, TextSpan

_HASH_SIGN = re.compile(rf"[{HASH}](?![\ufe0f\u20e3])")  # no "#" inside a keycap emoji
_INVALID_END = re.compile(rf"[{HASH}]|://")

_JOINERS = "\u200c\u200d"
_EXTRA_CHARS = frozenset(
    "_\u00b7"  # il·lusió
    + _JOINERS  # Persian, Sinhala
    + "\ua67e"  # old Cyrillic
    + "\u05be\u05f3\u05f4"  # Hebrew
    + "\u0f0b\u0f0c"  # Tibetan
    + "\u3003\u301c\uff5e\u309b\u309c\u30a0\u30fb"  # Japanese
)
_VARIATION_SELECTORS = "\ufe0e\ufe0f"
"""Characters that choose the look of the preceding emoji. A hashtag may directly follow such an emoji."""


def hashtags_in(text: str) -> Iterator[TextSpan]:
    """Yield the hashtags of a text in order. Each has at least one letter."""
    for sign in _HASH_SIGN.finditer(text):
        start = sign.start()
        if start and not _can_precede(text[start - 1]):
            continue
        # A tag contains no hash sign, so tags do not overlap and the loops read the text once.
        end = start + 1
        while end < len(text) and _is_tag_char(text[end]):
            end += 1
        tag = text[start + 1 : end]
        while tag and is_ignorable(tag[-1]):
            tag = tag[:-1]  # invisible, so two tags would look the same
        if _INVALID_END.match(text, end) or not any(map(_is_visible_letter, tag)):
            continue
        yield TextSpan("hashtag", start, start + 1 + len(tag), tag)


def tag_key(tag: str) -> str:
    """Return the key that all spellings of a tag share."""
    return re.sub("\u03c3(?=_|$)", "\u03c2", fold_case(tag))  # Greek words end in another sigma


def normalize_tag(text: str) -> str:
    """Return the key of a tag that may begin with a hash sign, which need not be valid (``is_tag_key``)."""
    return tag_key(text.lstrip(HASH))


def is_tag_key(text: str) -> bool:
    """Return whether the text is the key of some valid tag.

    A key may contain marks, spaces or a tilde, because normalization turns a few letters into these
    characters.
    """
    return (
        text == tag_key(text)
        and not is_ignorable(text[-1:])
        and any(category(char)[0] in "LM" for char in text)
        and all(_is_tag_char(char) or char in " ~" for char in text)
    )


def _is_visible_letter(char: str) -> bool:
    return category(char)[0] == "L" and not is_ignorable(char)


def _can_precede(char: str) -> bool:
    return char in _VARIATION_SELECTORS or not (char == "&" or _is_tag_char(char))


def _is_tag_char(char: str) -> bool:
    return category(char)[0] in "LM" or category(char) == "Nd" or char in _EXTRA_CHARS
