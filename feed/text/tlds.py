"""Find top-level domains, which distinguish the host ``example.com`` from the text ``the end.Begin``.

The list comes from the snapshot of the Public Suffix List (https://publicsuffix.org) inside the package
tldextract, so no network request is needed.
"""

import re
import string

from tldextract import TLDExtract

_TLDS = frozenset(
    suffix.rpartition(".")[2] for suffix in TLDExtract(cache_dir=None, suffix_list_urls=()).tlds
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
