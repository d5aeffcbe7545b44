"""``@name`` in a text, by the published rules of twitter-text and this site's rule for names.

A name may be longer here than twitter's twenty characters, and may have dots inside.
"""

import re
import string
from collections.abc import Iterator

from accounts.usernames import MAX_LENGTH, PATTERN

from .kinds import Entity
from .letters import AT, LATIN

MENTION = re.compile(rf"[{AT}]({PATTERN})")

_BARRED = frozenset(string.ascii_letters + string.digits + "_!#$%&*" + AT)
_RETWEET = re.compile(r"[^0-9A-Za-z_+~.-]?[Rr][Tt]")
_GOES_ON = re.compile(rf"[{AT}{LATIN}]|://")


def mentions_in(text: str) -> Iterator[Entity]:
    """The mentions of a text, in its order; there need be no such people."""
    for found in MENTION.finditer(text):
        name = found[1]
        if len(name) > MAX_LENGTH or _GOES_ON.match(text, found.end()):
            continue
        if _may_begin(text=text, at=found.start()):
            yield Entity("mention", found.start(), found.end(), name)


def _may_begin(*, text: str, at: int) -> bool:
    """Not inside an e-mail address or a word; right behind a bare "RT" it may."""
    if at == 0 or text[at - 1] not in _BARRED:
        return True
    return _RETWEET.fullmatch(text[max(at - 3, 0) : at]) is not None
