"""URLs in a text, with or without ``http://``, by the published rules of twitter-text.

After the host, a URL has any characters that browsers accept, and balanced brackets, as in Mastodon.

Texts come from users, so every loop and regular expression here must read each character only a bounded
number of times, even in the worst case. Therefore adjacent classes share no character.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

import idna

from accounts.infra.search_words import UNSPACED
from accounts.infra.web_pages.addresses import UnusableUrl, WebUrl, parse_web_url

from . import hosts
from .syntax import AT, HASH, LATIN, TextSpan

SCHEME = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(
    rf"(?<=[0-9A-Za-z+.-])://|(?<![\w{AT}.-])(?:[\w.-]++:\d++|[\w-]++(?:\.[\w-]++)++\.?|(?i:localhost))/"
)
"""The start of what looks like an address: a scheme, or a host with a dot, a port or the name localhost."""

_EXCLUDED_BEFORE = rf"0-9A-Za-z{AT}{HASH}$\ufeff\ufffe\uffff"
"""Characters that may not precede a URL. URLs without a scheme also may not follow a host character."""

_DOT = re.compile(r"\.\w")
"""Every host contains a match, because every top-level domain begins with a letter."""

_START = re.compile(
    rf"(?<![{_EXCLUDED_BEFORE}])(?P<scheme>[Hh][Tt][Tt][Pp][Ss]?://)"
    rf"|(?<![{_EXCLUDED_BEFORE}{LATIN}._/-])[0-9A-Za-z{LATIN}]"
)

_PORT = re.compile(r":[0-9]+")

# Browsers accept nearly every character after the host. Direction marks and quotes end a URL, and so does
# the punctuation that Chinese and Japanese writers put behind it without a space.
_STOP = (
    r"\s\x00-\x1f\x7f-\x9f\"<>`\u00ab\u00bb\u200b\u200e\u200f\u201c-\u201f\u202a-\u202e\u2039\u203a"
    r"\u2060\u2066-\u2069\ufeff\u3001-\u3003\uff0c\uff0e\uff1b\uff61\uff64"
)
_NOT_AT_END = (
    "!?*'()[]{}:;.,%$|~@&\\\u2013\u2018\u2019\u200c\u200d\u2026\u060c\u061b\u061f\u06d4\u0964"
)
"""Punctuation that ends a sentence or clause rather than a URL. Brackets stay if they are balanced."""

_WIDE_PAIRS = "〈〉《》「」『』【】\u3014\u3015〖〗〘〙〚〛｢｣\uff08\uff09\uff3b\uff3d\uff5b\uff5d"
_WIDE_OPENING, _WIDE_CLOSING = _WIDE_PAIRS[::2], _WIDE_PAIRS[1::2]
_WIDE_MARKS = "\uff01\uff1a\uff1f"  # full-width "!", ":" and "?"
_BRACKETS = "()[]{}<>\u00ab\u00bb\u201c\u201d\u2039\u203a" + _WIDE_PAIRS
_OPENING = dict(zip(_BRACKETS[1::2], _BRACKETS[::2], strict=True))
_WIDE_STOP = (
    rf"(?<![{UNSPACED}{_WIDE_MARKS}{_WIDE_CLOSING}])[{_WIDE_OPENING}{_WIDE_MARKS}]"
    rf"|[{_WIDE_OPENING}](?!\S{{1,40}}?[{_WIDE_CLOSING}])|(?<![{_WIDE_MARKS}])[{_WIDE_MARKS}]++(?!\w)"
)
"""Wide signs end a URL, unless they stand in a title of a script that writes with them."""

_BRACKET_OR_STOP = re.compile(rf"(?P<stop>[{_STOP}]|{_WIDE_STOP})|[()\[\]{{}}{_WIDE_PAIRS}]")
_BRACKET_OR_STOP_WITHOUT_SCHEME = re.compile(
    rf"(?P<stop>[{_STOP}]|{_WIDE_STOP}|(?<=[^\W_{UNSPACED}])[{UNSPACED}])|[()\[\]{{}}{_WIDE_PAIRS}]"
)
"""Without a scheme, words of such scripts follow letters of a URL directly: "example.com/pathを見て"."""

_BRACKET_OR_ADDRESS_END = re.compile(
    rf"(?P<stop>\s|(?<![{_WIDE_MARKS}])[{_WIDE_MARKS}]++(?![\w/]))|[{re.escape(_BRACKETS[::2])}]"
    rf"|[\u3001\u3002\uff0c\uff0e\uff1b\uff61\uff64{re.escape(_BRACKETS[1::2])}](?![0-9A-Za-z/])"
)
"""Only white space and closing punctuation end an address, so that nothing inside it mentions anybody."""

_TCO_SLUG = re.compile(r"/([0-9A-Za-z]+)")
_TCO_MAX_LENGTH = 40


def urls_in(text: str) -> Iterator[TextSpan]:
    if not _DOT.search(text):  # most texts contain no host, so this check saves the slower search
        return
    position = 0
    while start := _START.search(text, position):
        scheme = start["scheme"]
        begin = start.end() if scheme else start.start()
        host_end = hosts.find_host_end(text=text, start=begin, any_script=bool(scheme))
        if host_end is None:
            position = start.end()
            continue
        # The next search starts after the path, even if the URL is cut shorter below, so that no text is
        # read twice.
        port = _PORT.match(text, host_end)
        path_begin = port.end() if port else host_end
        # In "is it example.com?" the "?" ends the sentence, so only URLs with a scheme may lack the slash.
        position = path_begin if scheme else host_end
        if text[path_begin : path_begin + 1] in (("/", "?", "#") if scheme else ("/",)):
            ends = _BRACKET_OR_STOP if scheme else _BRACKET_OR_STOP_WITHOUT_SCHEME
            position = _find_end(text=text, start=path_begin, ends=ends)
        end: int | None = position
        host = text[begin:host_end]
        if scheme and host.lower() == "t.co":
            end = _find_tco_end(text=text, start=path_begin, end=position)
        if end and hosts.is_valid_host(host):
            yield TextSpan("url", start.start(), end, text[start.start() : end])


def addresses_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of everything that looks like an address, up to white space.

    It may lead anywhere, such as to ``localhost:3000/``, and is longer than the URL if quotes follow.
    """
    position = 0
    while sign := _ADDRESS.search(text, position):
        position = _find_end(text=text, start=sign.end(), ends=_BRACKET_OR_ADDRESS_END)
        yield sign.start(), position


def web_urls(addresses: Iterable[str]) -> Iterator[WebUrl]:
    """Yield those addresses that lead to a page on the web, in their canonical form."""
    for address in addresses:
        try:
            yield parse_web_url(absolute_url(address))
        except UnusableUrl:
            continue


def absolute_url(url: str) -> str:
    """Return the URL. If the URL has no scheme, prepend ``https://``."""
    return url if SCHEME.match(url) else f"https://{url}"


def host_of(address: str) -> str:
    """Return the host of a URL without "www.", or "" if it cannot be parsed."""
    try:
        host = urlsplit(absolute_url(address)).hostname or ""
    except ValueError:  # ``urlsplit`` refuses characters that normalize to a slash
        return ""
    return host.removeprefix("www.")


def unicode_host(host: str) -> str:
    """Return a host in Punycode as users type it, without "www."."""
    try:
        return idna.decode(host).removeprefix("www.")
    except idna.IDNAError:
        return host.removeprefix("www.")


def _find_end(*, text: str, start: int, ends: re.Pattern[str]) -> int:
    """Return the end of the URL or address whose path begins at ``start``.

    It ends before a closing bracket without partner, and without the punctuation of the sentence.
    """
    end = len(text)
    opened: list[str] = []
    for match in ends.finditer(text, start):
        if not match["stop"] and match[0] in _OPENING.values():
            opened.append(match[0])
        elif opened and opened[-1] == _OPENING.get(match[0]):
            opened.pop()
        else:
            end = match.start()
            break
    while end > start and text[end - 1] in _NOT_AT_END:
        if text[end - 1] in _OPENING:
            break  # balanced, see above
        end -= 1
    return end


def _find_tco_end(*, text: str, start: int, end: int) -> int | None:
    """Return the end of one of Twitter's short URLs, or None if its slug is too long.

    A short URL ends after the slug, or after a query that directly follows the slug.

    Args:
        start: start of the path.
        end: end of the whole URL.
    """
    slug = _TCO_SLUG.match(text, start, end)
    if not slug:
        return end
    if len(slug[1]) > _TCO_MAX_LENGTH:
        return None
    return end if text[slug.end() : slug.end() + 1] == "?" else slug.end()
