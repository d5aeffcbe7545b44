"""Mentions in a text, by the published rules of twitter-text and this site's rules for usernames.

Unlike on Twitter, a username may have more than 20 characters and contain dots. In "thanks @bob.Great
work", the dot may belong to the name or end the sentence. If there is no user "bob.Great", the text
mentions "bob".
"""

import re
import string
from collections.abc import Container, Iterable, Iterator

from accounts.usernames import MAX_LENGTH, PATTERN

from .syntax import AT, LATIN, TextSpan

MENTION = re.compile(rf"[{AT}]({PATTERN})")
_DOTTED = re.compile(rf"[{AT}]([A-Za-z0-9_]+\.{PATTERN})")

_EXCLUDED_BEFORE = frozenset(string.ascii_letters + string.digits + "_!#$%&*" + AT)
_RETWEET = re.compile(r"[^0-9A-Za-z_+~.-]?[Rr][Tt]")
_INVALID_END = re.compile(rf"[{AT}{LATIN}]|://")


def mentions_in(text: str) -> Iterator[TextSpan]:
    """Yield the mentions of a text in order, without checking that the users exist."""
    for match in MENTION.finditer(text):
        if _INVALID_END.match(text, match.end()) or not _can_begin(text, match.start()):
            continue
        name = match[1]
        while len(name) > MAX_LENGTH and "." in name:
            name = name.rpartition(".")[0]
        if len(name) <= MAX_LENGTH:
            yield TextSpan("mention", match.start(), match.start() + 1 + len(name), name)


def candidate_usernames(name: str) -> list[str]:
    """Return the usernames that a mention can stand for, in lower case, longest first."""
    parts = name.lower().split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def matching_username(name: str, known_usernames: Container[str]) -> str:
    """Return the longest known username that a mention can stand for, or ""."""
    candidates = candidate_usernames(name)
    return next((username for username in candidates if username in known_usernames), "")


def dotted_candidates(texts: Iterable[str]) -> set[str]:
    """Return the candidate usernames of all mentions that contain a dot.

    The scan is faster than ``mentions_in``. It finds every mention with a dot, but also a few strings
    that are no mentions.
    """
    names = (match[1] for text in texts for match in _DOTTED.finditer(text))
    return {username for name in names for username in candidate_usernames(name)}


def _can_begin(text: str, position: int) -> bool:
    """Return whether a mention can begin at this position.

    A mention cannot begin inside an e-mail address or a word, but may follow "RT" without a space.
    """
    if position == 0 or text[position - 1] not in _EXCLUDED_BEFORE:
        return True
    return _RETWEET.fullmatch(text[max(position - 3, 0) : position]) is not None
