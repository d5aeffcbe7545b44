"""Plain text as HTML that is safe: what people typed is escaped, and only this file writes tags."""

import re
from collections.abc import Collection
from html import escape
from urllib.parse import quote

from .hashtags import tag_key
from .mentions import matching_username
from .spans import spans_in
from .syntax import TextSpan
from .urls import absolute_url

MAX_URL_LENGTH = 32
LINK_REL = "nofollow noopener noreferrer ugc"

_FRONT = re.compile(r"\A(?:https?://)?(?:www\.(?=[^/?:.]+\.))?", re.IGNORECASE | re.ASCII)
_HOST_ENDS = re.compile("[/?:]")


def to_html(
    *,
    text: str,
    known_usernames: Collection[str] | None = None,
    dotted_usernames: Collection[str] = (),
    site_url: str = "",
) -> str:
    """The text with links: addresses, hashtags, and mentions of ``known`` names (lower case).

    None knows every name; then ``names`` says which of those with dots there are (``mentions``).
    ``site``: its address, where the text is read elsewhere; then links also have
    the classes by which programs tell mentions and hashtags (https://microformats.org/wiki/h-card), and
    addresses stand there in full.

    Line breaks become ``<br>``; who calls puts a block around it, with ``dir="auto"``, so that the words
    turn as their own script does.
    """
    out: list[str] = []
    position = 0
    for entity in spans_in(text):
        out += [
            _plain(text[position : entity.start]),
            _linked(
                entity=entity,
                text=text,
                known=known_usernames,
                names=dotted_usernames,
                site=site_url,
            ),
        ]
        position = entity.end
    out.append(_plain(text[position:]))
    return "".join(out)


def profile_path(name: str) -> str:
    """The page of a person."""
    return f"/@{name.lower()}/"


def tag_path(tag: str) -> str:
    """The page of a hashtag: one for all its spellings."""
    return f"/tags/{quote(tag_key(tag), safe='')}/"


def shorten_url(url: str) -> str:
    """An address for the eye: its host and the start of its path, at most ``SHOWN_URL`` characters.

    Of a host that is too long, the end shows: that is whose it is, and its front can say anything.
    """
    front, start, end = _cut(url)
    return ("…" if start > front else "") + url[start:end] + ("…" if end < len(url) else "")


def _cut(url: str) -> tuple[int, int, int]:
    """Where its host begins, and between which places it is shown."""
    match = _FRONT.match(url)
    front = match.end() if match else 0
    if len(url) - front <= MAX_URL_LENGTH:
        return front, front, len(url)
    host = _HOST_ENDS.split(url[front:], maxsplit=1)[0]
    if len(host) < MAX_URL_LENGTH:
        return front, front, front + MAX_URL_LENGTH - 1
    end = front + len(host)
    return front, end - (MAX_URL_LENGTH - 1 - (end < len(url))), end


def _in_three(url: str) -> str:
    """All of it, of which programs that know the classes show as much as ``shortened``. Some apps make
    the text of an edit of it."""
    _front, start, end = _cut(url)
    shown = ' class="ellipsis"' if end < len(url) else ""
    return (
        f'<span class="invisible">{escape(url[:start])}</span>'
        f"<span{shown}>{escape(url[start:end])}</span>"
        f'<span class="invisible">{escape(url[end:])}</span>'
    )


def _plain(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _linked(
    *,
    entity: TextSpan,
    text: str,
    known: Collection[str] | None,
    names: Collection[str],
    site: str,
) -> str:
    typed = text[entity.start : entity.end]
    if entity.kind == "url":
        # The title is what was typed, so that nothing of it is lost to a reader.
        href, title = escape(absolute_url(typed)), escape(typed)
        words = _in_three(typed) if site else escape(shorten_url(typed))
        return f'<a href="{href}" rel="{LINK_REL}" title="{title}">{words}</a>'
    if entity.kind == "hashtag":
        told = ' class="mention hashtag" rel="tag"' if site else ""
        return f'<a href="{site}{escape(tag_path(entity.value))}"{told}>{escape(typed)}</a>'
    name = matching_username(entity.value, names if known is None else known)
    if not name and known is not None:
        return escape(typed)
    end = 1 + len(name or entity.value)
    told = ' class="u-url mention"' if site else ""
    href = escape(profile_path(name or entity.value))
    return f'<a href="{site}{href}"{told}>{escape(typed[:end])}</a>{escape(typed[end:])}'
