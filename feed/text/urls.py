"""Web addresses in a text, by the published rules of twitter-text: with ``http://`` or without.

Every expression here passes over a character a bounded number of times: only classes of characters repeat,
no two that follow each other share one, and what ends a pair of parentheses fails at once or never.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from . import hosts
from .syntax import AT, CYRILLIC, HASH, LATIN, TextSpan

SCHEME = re.compile(r"https?://", re.IGNORECASE | re.ASCII)

_BARRED = rf"0-9A-Za-z{AT}{HASH}$\ufeff\ufffe\uffff"
"""What may not stand before an address; before one without a scheme, neither what looks like its middle."""

_DOT = re.compile(r"\.\w")
"""In each host; every top-level domain begins with a letter."""

_START = re.compile(
    rf"(?<![{_BARRED}])(?P<scheme>[Hh][Tt][Tt][Pp][Ss]?://)"
    rf"|(?<![{_BARRED}{LATIN}._/-])[0-9A-Za-z{LATIN}]"
)

_IN_PATH = rf"[0-9A-Za-z{LATIN}{CYRILLIC}!*';:=+,.$/%#\[\]\-\u2013_~@|&]"
_PARENTHESES = rf"\((?!\)){_IN_PATH}*(?:\({_IN_PATH}+\){_IN_PATH}*)?\)"
_PORT = re.compile(r"(?::[0-9]+)?")
_PATH = re.compile(rf"/(?:{_IN_PATH}+|{_PARENTHESES})*")
_QUERY = re.compile(r"\?[0-9A-Za-z!?*'@();:&=+$/%#\[\]\-_.,~|]*")
_ENDS_NO_PATH = "!*';:.,$%[]~|&@\u2013"
_ENDS_NO_QUERY = "!?*'@();:+$%[].,~|"

_TCO_SLUG = re.compile(r"/([0-9A-Za-z]+)")
_TCO_LONGEST = 40


def urls_in(text: str) -> Iterator[TextSpan]:
    """The addresses of a text, in its order."""
    if not _DOT.search(text):  # most texts
        return
    position = 0
    while start := _START.search(text, position):
        scheme = start["scheme"]
        begin = start.end() if scheme else start.start()
        host_end = hosts.find_host_end(text=text, start=begin, any_script=bool(scheme))
        if host_end is None:
            position = start.end()
            continue
        # On from where all of it ends, also if less is taken: no stretch is read twice.
        path_begin = _end_of(_PORT, text, host_end)
        path_end, position = _path_and_all(text=text, start=path_begin)
        end: int | None = position
        host = text[begin:host_end]
        if not scheme and path_end == path_begin:
            end = host_end  # "is it example.com?": a bare host has a port and a query only with a path
        elif scheme and host.lower() == "t.co":
            end = _end_of_tco(text=text, start=path_begin, path_end=path_end, end=position)
        if end and hosts.is_valid_host(host):
            yield TextSpan("url", start.start(), end, text[start.start() : end])


def absolute_url(url: str) -> str:
    """Where a typed address leads: what has no scheme leads to https."""
    return url if SCHEME.match(url) else f"https://{url}"


def host_of(address: str) -> str:
    """Whose page an address leads to, without www; "" if that cannot be told."""
    try:
        host = urlsplit(absolute_url(address)).hostname or ""
    except ValueError:  # some signs of other scripts stand for a slash
        return ""
    return host.removeprefix("www.")


def _path_and_all(*, text: str, start: int) -> tuple[int, int]:
    """Where the path that begins at ``start`` ends, and where the query behind it does."""
    full = _end_of(_PATH, text, start)
    path_end = start + len(text[start:full].rstrip(_ENDS_NO_PATH))
    if path_end < full:
        return path_end, path_end
    full = _end_of(_QUERY, text, path_end)
    return path_end, path_end + len(text[path_end:full].rstrip(_ENDS_NO_QUERY))


def _end_of_tco(*, text: str, start: int, path_end: int, end: int) -> int | None:
    """Twitter's own short addresses end with their slug, or with the query right behind it."""
    slug = _TCO_SLUG.match(text, start)
    if not slug:
        return end
    if len(slug[1]) > _TCO_LONGEST:
        return None
    return end if slug.end() == path_end else slug.end()


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start
