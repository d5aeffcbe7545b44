"""Converts the HTML of other sites to the plain text of posts."""

import re
from html.parser import HTMLParser

from accounts.infra.plain_text import clean_text

from .site_urls import is_local, url_host

MAX_HTML_LENGTH = 20_000
"""Number of characters of a post's HTML that are read. The rest is ignored."""

# A "<" that starts no tag. It is escaped first, because HTMLParser would search the rest of the text for
# the end of each such tag, which takes quadratic time.
_NO_TAG = re.compile(r"""<(?!/?[A-Za-z](?:[^<>"']|"[^"<>]*"|'[^'<>]*')*+>)""")
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_SCHEME = re.compile(r"\A(?:https?://)?(?:www\.)?", re.IGNORECASE)
BLOCK_TAGS = frozenset(
    ("p", "div", "blockquote", "ul", "ol", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "table")
)
LINE_TAGS = frozenset(("li", "tr"))
SKIPPED_TAGS = frozenset(("script", "style", "template"))


def html_to_text(*, html: str) -> str:
    """Return the HTML as plain text.

    ``<br>`` becomes a new line, paragraphs are separated by a blank line, and links become addresses. The
    server's name is added to mentions of users on other servers, so that these do not look like mentions of
    users of this site.
    """
    parser = _TextParser()
    parser.feed(_NO_TAG.sub("&lt;", html[:MAX_HTML_LENGTH]))
    parser.close()
    return clean_text(parser.text())


class _TextParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self._out: list[str] = []
        self._link: tuple[str, bool, int] | None = None
        self._skipped_tag = ""

    def set_cdata_mode(self, elem: str, **_: object) -> None:
        """Do nothing, so that ``<script>`` is parsed like other tags and skipped by ``SKIPPED_TAGS``."""

    def text(self) -> str:
        self._end_link()
        text = re.sub(r" *\n *", "\n", "".join(self._out))
        return re.sub(r"\n{3,}", "\n\n", text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped_tag:
            return
        if tag in SKIPPED_TAGS:
            self._skipped_tag = tag
        elif tag == "br":
            self._out.append("\n")
        elif tag in BLOCK_TAGS or tag in LINE_TAGS:
            self._break(tag)
        elif tag == "a":
            self._end_link()
            attributes = {name: value or "" for name, value in attrs}
            classes = attributes.get("class", "").split()
            is_mention = "mention" in classes and "hashtag" not in classes
            self._link = (attributes.get("href", ""), is_mention, len(self._out))

    def handle_endtag(self, tag: str) -> None:
        if self._skipped_tag:
            self._skipped_tag = "" if tag == self._skipped_tag else self._skipped_tag
        elif tag == "a":
            self._end_link()
        elif tag in BLOCK_TAGS or tag in LINE_TAGS:
            self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self._skipped_tag:
            self._out.append(_BLANKS.sub(" ", data))

    def _break(self, tag: str) -> None:
        self._out.append("\n\n" if tag in BLOCK_TAGS else "\n")

    def _end_link(self) -> None:
        if self._link is None:
            return
        href, is_mention, start = self._link
        self._link = None
        text = "".join(self._out[start:]).strip()
        self._out[start:] = [_mention_text(text, href) if is_mention else _link_text(text, href)]


def _mention_text(text: str, href: str) -> str:
    host = url_host(href)
    has_host = text.count("@") > 1 or not text.startswith("@")
    return text if has_host or not host or is_local(href) else f"{text}@{host}"


def _link_text(text: str, href: str) -> str:
    if not href.lower().startswith(("http://", "https://")) or text.startswith("#"):
        return text
    address, bare = _SCHEME.sub("", href), _SCHEME.sub("", text).rstrip("…").rstrip("/")
    if (
        not bare
        or address.startswith(bare)
        or (text.startswith("…") and bare.lstrip("…") in address)
    ):
        return href
    return f"{text} ({href})"
