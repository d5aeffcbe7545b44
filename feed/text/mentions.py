"""``@name`` in a text, by the published rules of twitter-text and this site's rule for names.

A name may be longer here than twitter's twenty characters, and may have dots inside. A dot may also end the
sentence, as in "thanks @bob.Great work": where there is no "bob.Great", "bob" is mentioned.
"""

import re
import string
from collections.abc import Container, Iterable, Iterator

from accounts.usernames import MAX_LENGTH, PATTERN

from .syntax import AT, LATIN, TextSpan

MENTION = re.compile(rf"[{AT}]({PATTERN})")
_DOTTED = re.compile(rf"[{AT}]([A-Za-z0-9_]+\.{PATTERN})")

_BARRED = frozenset(string.ascii_letters + string.digits + "_!#$%&*" + AT)
_RETWEET = re.compile(r"[^0-9A-Za-z_+~.-]?[Rr][Tt]")
_GOES_ON = re.compile(rf"[{AT}{LATIN}]|://")


def mentions_in(text: str) -> Iterator[TextSpan]:
    """The mentions of a text, in its order; there need be no such people."""
    for found in MENTION.finditer(text):
        if _GOES_ON.match(text, found.end()) or not _may_begin(text=text, at=found.start()):
            continue
        name = found[1]
        while len(name) > MAX_LENGTH and "." in name:
            name = name.rpartition(".")[0]
        if len(name) <= MAX_LENGTH:
            yield TextSpan("mention", found.start(), found.start() + 1 + len(name), name)


def candidate_usernames(name: str) -> list[str]:
    """The user names, in lower case, that a mention may stand for; the longest first."""
    parts = name.lower().split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def matching_username(name: str, known_usernames: Container[str]) -> str:
    """The longest reading of a mention that is a known user name; "" if none is."""
    return next(
        (reading for reading in candidate_usernames(name) if reading in known_usernames), ""
    )


def dotted_candidates(texts: Iterable[str]) -> set[str]:
    """All readings of the mentions with a dot in them. A glance: some may be none, none is missed."""
    found = (match[1] for text in texts for match in _DOTTED.finditer(text))
    return {reading for name in found for reading in candidate_usernames(name)}


def _may_begin(*, text: str, at: int) -> bool:
    """Not inside an e-mail address or a word; right behind a bare "RT" it may."""
    if at == 0 or text[at - 1] not in _BARRED:
        return True
    return _RETWEET.fullmatch(text[max(at - 3, 0) : at]) is not None
