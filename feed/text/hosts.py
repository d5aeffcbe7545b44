"""Host names for ``urls``: where they end and whether they are valid.

The rules are those of twitter-text. Dots separate labels. No label begins or ends with a hyphen or an
underscore. The label before the top-level domain has no underscore at all.
"""

import re

from . import tlds
from .syntax import LATIN

MAX_HOST, MAX_LABEL = 253, 63  # RFC 1035
PUNYCODE = "xn--"

_EXCLUDED = (
    # ASCII except letters, digits, hyphen, underscore. Latin-1 except its letters and the Catalan dot.
    r"\x00-,./:-@\[-\^`{-\xb6\xb8-\xbf\xd7\xf7"
    # Spaces, quotes, dashes, direction marks. The joiners of Persian and Indian scripts are allowed.
    r"\u2000-\u200b\u200e-\u206f"
    # Characters that contain a slash or a dot: the host would end elsewhere than it seems to.
    r"\u2100\u2101\u2105\u2106\u2474-\u249b"
    # Chinese and Japanese punctuation, and full-width ASCII punctuation.
    r"\u3000-\u3004\u3008-\u3020\u3030-\u303f\ufe10-\ufe1f\ufe30-\ufe6f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    # Surrogates, private use, noncharacters.
    r"\ud800-\uf8ff\ufeff\ufff0-\uffff"
)
_ANY_LABEL = re.compile(rf"[^{_EXCLUDED}]+")
_LATIN_LABEL = re.compile(rf"[0-9A-Za-z{LATIN}_-]+")


def find_host_end(*, text: str, start: int, any_script: bool) -> int | None:
    """Return the end of the longest host that begins at ``start``, or None.

    Without ``any_script`` all labels except the top-level domain must be Latin. Use it for URLs without a
    scheme. Otherwise a host would swallow the Japanese words in front of it.
    """
    label = _ANY_LABEL if any_script else _LATIN_LABEL
    end, name = None, ""
    while True:
        if name and "_" not in name:
            end = tlds.find_tld_end(text=text, start=start) or end
        match = label.match(text, start)
        if not match or text[match.end() : match.end() + 1] != ".":
            return end
        name, start = match[0], match.end() + 1
        if name[0] in "-_" or name[-1] in "-_":
            return end


def is_valid_host(host: str) -> bool:
    """Tell whether the labels and the host are short enough for DNS, also in Punycode."""
    return len(host) <= MAX_HOST and all(map(_is_valid_label, host.split(".")))


def _is_valid_label(label: str) -> bool:
    if label.isascii():
        return len(label) <= MAX_LABEL
    max_length = MAX_LABEL - len(PUNYCODE)
    # Check the length first: encoding takes quadratic time.
    is_short = len(label) <= max_length and len(label.encode("punycode")) <= max_length
    return is_short and not label.lower().startswith(PUNYCODE)
