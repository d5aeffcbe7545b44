"""Find the end of host names for ``urls``, and check whether host names are valid.

By the rules of twitter-text, dots separate the labels of a host. No label begins or ends with a hyphen or
an underscore. The label before the top-level domain contains no underscore at all.
"""

import re

from . import tlds
from .syntax import LATIN

MAX_HOST, MAX_LABEL = 253, 63  # limits of domain names in DNS (RFC 1035)
PUNYCODE = "xn--"

_EXCLUDED = (
    # ASCII except letters, digits, hyphen and underscore. Latin-1 except letters and the Catalan dot.
    r"\x00-,./:-@\[-\^`{-\xb6\xb8-\xbf\xd7\xf7"
    # Spaces, quotes, dashes and direction marks, but not the joiners of Persian and Indian scripts.
    r"\u2000-\u200b\u200e-\u206f"
    # Characters that contain a slash or a dot. Such a character could hide where the host really ends.
    r"\u2100\u2101\u2105\u2106\u2474-\u249b"
    # Chinese and Japanese punctuation, and full-width ASCII punctuation.
    r"\u3000-\u3004\u3008-\u3020\u3030-\u303f\ufe10-\ufe1f\ufe30-\ufe6f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    # Surrogates, private-use characters and noncharacters.
    r"\ud800-\uf8ff\ufeff\ufff0-\uffff"
)
_ANY_LABEL = re.compile(rf"[^{_EXCLUDED}]+")
_LATIN_LABEL = re.compile(rf"[0-9A-Za-z{LATIN}_-]+")


def find_host_end(*, text: str, start: int, any_script: bool) -> int | None:
    """Return the end of the longest host that begins at ``start``, or None if no host begins there.

    Args:
        any_script: True for URLs with a scheme. False for URLs without a scheme, where all labels except
            the top-level domain must be Latin. Otherwise the host would include Japanese words directly
            in front of the URL.
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
    """Return whether the host and its labels are short enough for DNS, where labels use Punycode."""
    return len(host) <= MAX_HOST and all(map(_is_valid_label, host.split(".")))


def _is_valid_label(label: str) -> bool:
    if label.isascii():
        return len(label) <= MAX_LABEL
    max_length = MAX_LABEL - len(PUNYCODE)
    # The length is checked before encoding, because Punycode takes quadratic time.
    is_short = len(label) <= max_length and len(label.encode("punycode")) <= max_length
    return is_short and not label.lower().startswith(PUNYCODE)
