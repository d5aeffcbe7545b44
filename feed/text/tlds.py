"""Top-level domains: they tell ``example.com`` from ``the end.Begin``.

The list is IANA's of 2020, as linkify-it-py carries it. What came later stays plain words.
"""

import re
import string

from linkify_it.tlds import TLDS

_ASCII = frozenset(tld.lower() for tld in TLDS)
_OTHER = frozenset(
    tld[4:].lower().encode("ascii").decode("punycode") for tld in TLDS if tld.startswith("XN--")
)
_FIRST = frozenset(tld[0] for tld in _OTHER)
_LONGEST = max(map(len, _OTHER))
_WORD = re.compile(r"[Xx][Nn]--[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*|[0-9A-Za-z]+")

_GOES_ON = frozenset(string.ascii_letters + string.digits + "@+-")
"""What may not follow: ``.gov@`` is half an e-mail address and ``.com-that`` a slip of the keyboard."""


def find_tld_end(*, text: str, start: int) -> int | None:
    """Where the top-level domain that begins at ``start`` ends; None if none begins there.

    Words of other scripts may follow at once: in 中国語 beside ``example.com`` nobody types a blank.
    """
    word = _WORD.match(text, start)
    if word:
        whole = word[0].lower() in _ASCII and text[word.end() : word.end() + 1] not in _GOES_ON
        return word.end() if whole else None
    if text[start : start + 1].lower() not in _FIRST:
        return None
    for end in range(min(start + _LONGEST, len(text)), start, -1):
        if text[start:end].lower() in _OTHER and text[end : end + 1] not in _GOES_ON:
            return end
    return None
