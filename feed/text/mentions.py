"""Mentions in a text, by the published rules of twitter-text and this site's rules for usernames.

Unlike on Twitter, a username may have more than 20 characters and contain dots. In "thanks @bob.Great
work", the dot may belong to the name or end the sentence. If there is no user "bob.Great", the text
mentions "bob".

"@bob@example.org" mentions bob if example.org is the host of this site (``SITE_URL``), as apps and people
from other servers type it.
"""

import re
import string
from collections.abc import Container, Iterable, Iterator
from functools import cache
from urllib.parse import urlsplit

from django.conf import settings

from accounts.usernames import MAX_LENGTH, PATTERN

from .syntax import AT, LATIN, TextSpan

MENTION = re.compile(rf"[{AT}]({PATTERN})")
_DOTTED = re.compile(rf"[{AT}]([A-Za-z0-9_]+\.{PATTERN})")

_EXCLUDED_BEFORE = frozenset(string.ascii_letters + string.digits + "_!#$%&*" + AT)
_RETWEET = re.compile(r"[^0-9A-Za-z_+~.-]?[Rr][Tt]")
_INVALID_END = re.compile(rf"[{AT}{LATIN}]|://")
_HOST = re.compile(rf"[{AT}].*")


def mentions_in(text: str) -> Iterator[TextSpan]:
    """Yield the mentions of a text in order, without checking that the users exist."""
    for match in MENTION.finditer(text):
        if not _can_begin(text, match.start()):
            continue
        name = match[1]
        if host := _own_host(settings.SITE_URL).match(text, match.end()):
            if len(name) <= MAX_LENGTH:
                yield TextSpan("mention", match.start(), host.end(), name + host[0])
            continue
        if _INVALID_END.match(text, match.end()):
            continue
        while len(name) > MAX_LENGTH and "." in name:
            name = name.rpartition(".")[0]
        if len(name) <= MAX_LENGTH:
            yield TextSpan("mention", match.start(), match.start() + 1 + len(name), name)


def candidate_usernames(name: str) -> list[str]:
    """Return the usernames that a mention can stand for, in lower case, longest first.

    Args:
        name: the value of the mention's span. With a host it stands for one username only.
    """
    username = mentioned_name(name).lower()
    if username != name.lower():
        return [username]
    parts = username.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def matching_username(name: str, known_usernames: Container[str]) -> str:
    """Return the longest known username that a mention can stand for, or ""."""
    candidates = candidate_usernames(name)
    return next((username for username in candidates if username in known_usernames), "")


def mentioned_name(value: str) -> str:
    """Return the name in the value of a mention's span, without the host."""
    return _HOST.sub("", value)


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


@cache
def _own_host(site_url: str) -> re.Pattern[str]:
    host = re.escape(urlsplit(site_url).netloc)
    return re.compile(rf"[{AT}]{host}(?![0-9A-Za-z{LATIN}{AT}_:/-]|\.\w)", re.IGNORECASE)
