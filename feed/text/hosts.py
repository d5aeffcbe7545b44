"""Where the name of a host ends, and whether there can be such a host.

By the rules of twitter-text: labels with dots between them; no label begins or ends with a hyphen or an
underscore; the label before the top-level domain has no underscore at all. ``urls`` asks this.
"""

import re

from . import tlds
from .syntax import LATIN

MAX_HOST, MAX_LABEL = 253, 63  # RFC 1035
PUNYCODE = "xn--"

_NEVER = (
    # ASCII but letters, digits, hyphen and underscore; Latin-1 but its letters and the Catalan dot.
    r"\x00-,./:-@\[-\^`{-\xb6\xb8-\xbf\xd7\xf7"
    # Blanks, quotes, dashes and marks of direction; the joiners of Persian and Indian scripts may stay.
    r"\u2000-\u200b\u200e-\u206f"
    # Signs that stand for a slash or a dot and would end the host elsewhere than the eye does.
    r"\u2100\u2101\u2105\u2106\u2474-\u249b"
    # Punctuation of China and Japan, and the full-width forms of ASCII's.
    r"\u3000-\u3004\u3008-\u3020\u3030-\u303f\ufe10-\ufe1f\ufe30-\ufe6f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    # Surrogates, private use, and what is no character.
    r"\ud800-\uf8ff\ufeff\ufff0-\uffff"
)
_ANY_LABEL = re.compile(rf"[^{_NEVER}]+")
_LATIN_LABEL = re.compile(rf"[0-9A-Za-z{LATIN}_-]+")


def find_host_end(*, text: str, start: int, any_script: bool) -> int | None:
    """Where the longest host that begins at ``start`` ends; None if none does.

    Without ``any_script`` its names are Latin (the top-level domain is not): where no scheme says that an
    address begins, the letters must, or it would swallow the Japanese words in front of it.
    """
    label = _ANY_LABEL if any_script else _LATIN_LABEL
    end, name = None, ""
    while True:
        if name and "_" not in name:
            end = tlds.find_tld_end(text=text, start=start) or end
        found = label.match(text, start)
        if not found or text[found.end() : found.end() + 1] != ".":
            return end
        name, start = found[0], found.end() + 1
        if name[0] in "-_" or name[-1] in "-_":
            return end


def is_valid_host(host: str) -> bool:
    """Whether a name server could know it: each label short enough, also when written in ASCII."""
    return len(host) <= MAX_HOST and all(map(_can_be_label, host.split(".")))


def _can_be_label(label: str) -> bool:
    if label.isascii():
        return len(label) <= MAX_LABEL
    room = MAX_LABEL - len(PUNYCODE)
    # Length first: encoding takes time that grows with its square.
    fits = len(label) <= room and len(label.encode("punycode")) <= room
    return fits and not label.lower().startswith(PUNYCODE)
