"""What is found in a text. Apart from ``entities``, which imports the finders, as they import this."""

from dataclasses import dataclass
from typing import Literal

SpanKind = Literal["mention", "hashtag", "url"]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A stretch of a text that means something: ``text[start:end]``, counted in code points.

    ``value`` is the name without its @, the tag without its #, or the address, each as it was typed.
    """

    kind: SpanKind
    start: int
    end: int
    value: str


# MERGED FROM feed.text.syntax: Letters that the published rules of twitter-text name one by one, as parts of character classes.
LATIN = r"\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u02bb\u0300-\u036f\u1e00-\u1eff"
"""Latin letters beyond ASCII, and the accents that may follow a plain one."""

CYRILLIC = r"\u0400-\u04ff"

AT = "@\uff20"
"""What begins a mention: the sign, and its full-width form on East Asian keyboards."""

HASH = "#\uff03"
"""What begins a hashtag, likewise."""
