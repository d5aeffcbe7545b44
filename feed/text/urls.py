"""URLs in a text, with or without ``http://``, by the published rules of twitter-text.

Texts come from users, so every regular expression here must read each character only a bounded number of
times, even in the worst case. Therefore adjacent classes share no character, and parentheses nest only one
level deep.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

import idna

from accounts.infra.web_pages.addresses import UnusableUrl, WebUrl, parse_web_url

from . import hosts
from .syntax import AT, CYRILLIC, HASH, LATIN, TextSpan

SCHEME = re.compile(r"https?://", re.IGNORECASE | re.ASCII)

_EXCLUDED_BEFORE = rf"0-9A-Za-z{AT}{HASH}$\ufeff\ufffe\uffff"
"""Characters that may not precede a URL. URLs without a scheme also may not follow a host character."""

_DOT = re.compile(r"\.\w")
"""Every host contains a match, because every top-level domain begins with a letter."""

_START = re.compile(
    rf"(?<![{_EXCLUDED_BEFORE}])(?P<scheme>[Hh][Tt][Tt][Pp][Ss]?://)"
    rf"|(?<![{_EXCLUDED_BEFORE}{LATIN}._/-])[0-9A-Za-z{LATIN}]"
)

_PATH_CHAR = rf"[0-9A-Za-z{LATIN}{CYRILLIC}!*';:=+,.$/%#\[\]\-\u2013_~@|&]"
_PARENTHESES = rf"\((?!\)){_PATH_CHAR}*(?:\({_PATH_CHAR}+\){_PATH_CHAR}*)?\)"
_PORT = re.compile(r"(?::[0-9]+)?")
_PATH = re.compile(rf"/(?:{_PATH_CHAR}+|{_PARENTHESES})*")
_QUERY = re.compile(r"\?[0-9A-Za-z!?*'@();:&=+$/%#\[\]\-_.,~|]*")
_NOT_AT_PATH_END = "!*';:.,$%[]~|&@\u2013"
_NOT_AT_QUERY_END = "!?*'@();:+$%[].,~|"

_TCO_SLUG = re.compile(r"/([0-9A-Za-z]+)")
_TCO_MAX_LENGTH = 40


def urls_in(text: str) -> Iterator[TextSpan]:
    """Yield the URLs of a text in order."""
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
        # The next search starts after the path and query, even if the URL is cut shorter below, so that
        # no text is read twice.
        path_begin = _match_end(_PORT, text, host_end)
        path_end, position = _find_path_and_query_end(text=text, start=path_begin)
        end: int | None = position
        host = text[begin:host_end]
        if not scheme and path_end == path_begin:
            end = host_end  # in "is it example.com?" the "?" ends the sentence
        elif scheme and host.lower() == "t.co":
            end = _find_tco_end(text=text, start=path_begin, path_end=path_end, end=position)
        if end and hosts.is_valid_host(host):
            yield TextSpan("url", start.start(), end, text[start.start() : end])


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


def _find_path_and_query_end(*, text: str, start: int) -> tuple[int, int]:
    """Return the end of the path that begins at ``start``, and the end of the query after the path."""
    match_end = _match_end(_PATH, text, start)
    path_end = start + len(text[start:match_end].rstrip(_NOT_AT_PATH_END))
    if path_end < match_end:
        return path_end, path_end
    match_end = _match_end(_QUERY, text, path_end)
    return path_end, path_end + len(text[path_end:match_end].rstrip(_NOT_AT_QUERY_END))


def _find_tco_end(*, text: str, start: int, path_end: int, end: int) -> int | None:
    """Return the end of one of Twitter's short URLs, or None if its slug is too long.

    A short URL ends after the slug, or after a query that directly follows the slug.

    Args:
        start: start of the path.
        path_end: end of the path.
        end: end of the path and query.
    """
    slug = _TCO_SLUG.match(text, start)
    if not slug:
        return end
    if len(slug[1]) > _TCO_MAX_LENGTH:
        return None
    return end if slug.end() == path_end else slug.end()


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
