"""Find the end of host names for ``urls``, and check whether host names are valid.

By the rules of twitter-text, dots separate the labels of a host. No label begins or ends with a hyphen or
an underscore. The label before the top-level domain contains no underscore at all.

Top-level domains distinguish the host ``example.com`` from the text ``the end.Begin``. The list comes from
the snapshot of the Public Suffix List (https://publicsuffix.org) inside the package tldextract, so no
network request is needed.
"""

import re
import string
from importlib.metadata import distribution
from pathlib import Path

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
_SNAPSHOT = distribution("tldextract").locate_file("tldextract/.tld_set_snapshot")
"""The file is read here, because the package would load ``requests`` and so slow every process down."""

_TLDS = frozenset(
    line.rpartition(".")[2]
    for line in Path(str(_SNAPSHOT)).read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("//")
)
_UNICODE_TLDS = frozenset(tld for tld in _TLDS if not tld.isascii())
_ASCII_TLDS = (_TLDS - _UNICODE_TLDS) | {
    tld.encode("idna").decode("ascii") for tld in _UNICODE_TLDS
}
_UNICODE_FIRST_CHARS = frozenset(tld[0] for tld in _UNICODE_TLDS)
_UNICODE_MAX_LENGTH = max(map(len, _UNICODE_TLDS))
_WORD = re.compile(r"[Xx][Nn]--[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*|[0-9A-Za-z]+")

_INVALID_NEXT_CHARS = frozenset(string.ascii_letters + string.digits + "@+-")
"""Characters that may not follow a domain: "a.gov@" is an e-mail address, "a.com-that" a typing error."""

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
            end = find_tld_end(text=text, start=start) or end
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


def find_tld_end(*, text: str, start: int) -> int | None:
    """Return the end of the top-level domain that begins at ``start``, or None if none begins there.

    Words of other scripts may follow directly, because East Asian users type no space between
    ``example.com`` and 中国語.
    """
    word = _WORD.match(text, start)
    if word:
        is_whole = (
            word[0].lower() in _ASCII_TLDS
            and text[word.end() : word.end() + 1] not in _INVALID_NEXT_CHARS
        )
        return word.end() if is_whole else None
    if text[start : start + 1].lower() not in _UNICODE_FIRST_CHARS:
        return None
    for end in range(min(start + _UNICODE_MAX_LENGTH, len(text)), start, -1):
        if (
            text[start:end].lower() in _UNICODE_TLDS
            and text[end : end + 1] not in _INVALID_NEXT_CHARS
        ):
            return end
    return None
