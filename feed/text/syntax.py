"""Define text spans, and the character classes that mentions, hashtags and URLs share."""

from dataclasses import dataclass
from typing import Literal

# These constants go inside [] in regular expressions. The rules of twitter-text list the characters.
LATIN = r"\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u02bb\u0300-\u036f\u1e00-\u1eff"
"""Latin letters beyond ASCII, and combining accents."""

AT = "@\uff20"
"""The signs that begin a mention: "@" and its full-width form on East Asian keyboards."""

HASH = "#\uff03"
"""The signs that begin a hashtag: "#" and its full-width form on East Asian keyboards."""

SpanKind = Literal["mention", "hashtag", "url"]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A mention, hashtag or URL in a text: ``text[start:end]``, counted in code points.

    ``value`` is the name without the first "@", the tag without "#", or the URL, as the author typed it.
    """

    kind: SpanKind
    start: int
    end: int
    value: str
