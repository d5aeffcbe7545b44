"""Render plain text as safe HTML. This module escapes all text and writes all tags itself."""

import re
from collections.abc import Collection
from html import escape
from urllib.parse import quote

from .hashtags import tag_key
from .mentions import matching_username, mentioned_name
from .spans import spans_in
from .syntax import TextSpan
from .urls import absolute_url

MAX_URL_LENGTH = 32
LINK_REL = "nofollow noopener noreferrer ugc"
PROFILE_LINK_REL = "me nofollow noopener"
"""For links in profile fields. ``me`` lets other sites verify that the link leads to the same person."""

_URL_PREFIX = re.compile(r"\A(?:https?://)?(?:www\.(?=[^/?:.]+\.))?", re.IGNORECASE | re.ASCII)
_HOST_ENDS = re.compile("[/?#:]")


def to_html(
    *,
    text: str,
    known_usernames: Collection[str] | None = None,
    dotted_usernames: Collection[str] = (),
    site_url: str = "",
    link_rel: str = LINK_REL,
) -> str:
    """Return the text with its URLs, hashtags and mentions linked.

    Args:
        known_usernames: usernames in lower case. Only mentions of these users become links. None links
            all mentions without looking up the users.
        dotted_usernames: the existing usernames for which a mention with a dot can stand, needed if
            ``known_usernames`` is None (see ``mentions``).
        site_url: base URL of this site, for HTML shown outside the site, such as in apps. Links are then
            absolute, show whole URLs and have the classes that identify mentions and hashtags
            (https://microformats.org/wiki/h-card). "" for pages of this site.
        link_rel: the ``rel`` of links to URLs.

    Line breaks become ``<br>``. The caller wraps the result in a block with ``dir="auto"``, so that the
    direction of the text follows its script.
    """
    parts: list[str] = []
    position = 0
    for span in spans_in(text):
        parts += [
            _escape_text(text[position : span.start]),
            _render_link(span, text, known_usernames, dotted_usernames, site_url, link_rel),
        ]
        position = span.end
    parts.append(_escape_text(text[position:]))
    return "".join(parts)


def profile_path(name: str) -> str:
    return f"/@{name.lower()}/"


def tag_path(tag: str) -> str:
    """Return the path of a hashtag page. All spellings of a hashtag share one page."""
    return f"/tags/{quote(tag_key(tag), safe='')}/"


def shorten_url(url: str) -> str:
    """Return the host and the start of the path, at most ``MAX_URL_LENGTH`` characters.

    If the host is longer, its beginning is cut. The end shows who owns the host, while the owner can choose
    any beginning to deceive users.
    """
    host_start, start, end = _shown_range(url)
    return ("…" if start > host_start else "") + url[start:end] + ("…" if end < len(url) else "")


def _shown_range(url: str) -> tuple[int, int, int]:
    """Return the start of the host, and the start and end of the part of the URL to show."""
    match = _URL_PREFIX.match(url)
    host_start = match.end() if match else 0
    if len(url) - host_start <= MAX_URL_LENGTH:
        return host_start, host_start, len(url)
    host = _HOST_ENDS.split(url[host_start:], maxsplit=1)[0]
    if len(host) < MAX_URL_LENGTH:
        return host_start, host_start, host_start + MAX_URL_LENGTH - 1
    end = host_start + len(host)
    return host_start, end - (MAX_URL_LENGTH - 1 - (end < len(url))), end


def _render_whole_url(url: str) -> str:
    """Return a whole URL as HTML, with classes that let apps show the same part as ``shorten_url``.

    The HTML contains the whole URL, because some apps build the text for editing a post from it.
    """
    _host_start, start, end = _shown_range(url)
    shown_class = ' class="ellipsis"' if end < len(url) else ""
    return (
        f'<span class="invisible">{escape(url[:start])}</span>'
        f"<span{shown_class}>{escape(url[start:end])}</span>"
        f'<span class="invisible">{escape(url[end:])}</span>'
    )


def _escape_text(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _render_link(
    span: TextSpan,
    text: str,
    known_usernames: Collection[str] | None,
    dotted_usernames: Collection[str],
    site_url: str,
    link_rel: str,
) -> str:
    typed = text[span.start : span.end]
    if span.kind == "url":
        # Browsers show the title on hover, so that users can see the whole URL before they open it.
        href, title = escape(absolute_url(typed)), escape(typed)
        label = _render_whole_url(typed) if site_url else escape(shorten_url(typed))
        return f'<a href="{href}" rel="{link_rel}" title="{title}">{label}</a>'
    if span.kind == "hashtag":
        attributes = ' class="mention hashtag" rel="tag"' if site_url else ""
        href = escape(tag_path(span.value))
        return f'<a href="{site_url}{href}"{attributes}>{escape(typed)}</a>'
    names = dotted_usernames if known_usernames is None else known_usernames
    name = matching_username(span.value, names)
    if not name and known_usernames is not None:
        return escape(typed)
    has_host = mentioned_name(span.value) != span.value
    end = len(typed) if has_host else 1 + len(name or span.value)
    attributes = ' class="u-url mention"' if site_url else ""
    href = escape(profile_path(name or mentioned_name(span.value)))
    return f'<a href="{site_url}{href}"{attributes}>{escape(typed[:end])}</a>{escape(typed[end:])}'
