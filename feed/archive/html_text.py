"""HTML of other sites as the plain text that is kept here."""

import re
from html.parser import HTMLParser

from accounts.infra.plain_text import clean_text

from .site_urls import url_host

MAX_HTML_LENGTH = 20_000
"""So many characters of a post's HTML are read."""

# Of what begins like a tag and is none, a parser looks for the end again and again. To it this is text.
_NO_TAG = re.compile(r"""<(?!/?[A-Za-z](?:[^<>"']|"[^"<>]*"|'[^'<>]*')*+>)""")
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_SCHEME = re.compile(r"\A(?:https?://)?(?:www\.)?", re.IGNORECASE)
BLOCK_TAGS = frozenset(
    ("p", "div", "blockquote", "ul", "ol", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "table")
)
LINE_TAGS = frozenset(("li", "tr"))
SKIPPED_TAGS = frozenset(("script", "style", "template"))


def html_to_text(*, html: str, host: str) -> str:
    """The words of it: a line for each ``<br>``, an empty one between paragraphs, links as their address.

    Mentions of people elsewhere get the name of their server, so that they are not taken for people of
    this ``host``.
    """
    reader = _Reader(host)
    reader.feed(_NO_TAG.sub("&lt;", html[:MAX_HTML_LENGTH]))
    reader.close()
    return clean_text(reader.text())


class _Reader(HTMLParser):
    def __init__(self, host: str) -> None:
        super().__init__(convert_charrefs=True)
        self._host = host
        self._out: list[str] = []
        self._link: tuple[str, bool, int] | None = None
        self._silent = ""

    def set_cdata_mode(self, elem: str, **_: object) -> None:
        """Without: what a script would be is told by tags as all else, and passed over."""

    def text(self) -> str:
        self._end_link()
        text = re.sub(r" *\n *", "\n", "".join(self._out))
        return re.sub(r"\n{3,}", "\n\n", text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent:
            return
        if tag in SKIPPED_TAGS:
            self._silent = tag
        elif tag == "br":
            self._out.append("\n")
        elif tag in BLOCK_TAGS or tag in LINE_TAGS:
            self._break(tag)
        elif tag == "a":
            self._end_link()
            of = {name: value or "" for name, value in attrs}
            classes = of.get("class", "").split()
            is_mention = "mention" in classes and "hashtag" not in classes
            self._link = (of.get("href", ""), is_mention, len(self._out))

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            self._silent = "" if tag == self._silent else self._silent
        elif tag == "a":
            self._end_link()
        elif tag in BLOCK_TAGS or tag in LINE_TAGS:
            self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._out.append(_BLANKS.sub(" ", data))

    def _break(self, tag: str) -> None:
        self._out.append("\n\n" if tag in BLOCK_TAGS else "\n")

    def _end_link(self) -> None:
        if self._link is None:
            return
        href, is_mention, at = self._link
        self._link = None
        said = "".join(self._out[at:]).strip()
        self._out[at:] = [self._mention(said, href) if is_mention else _linked(said, href)]

    def _mention(self, said: str, href: str) -> str:
        host = url_host(href)
        is_whole = said.count("@") > 1 or not said.startswith("@")
        return said if is_whole or not host or host == self._host else f"{said}@{host}"


def _linked(said: str, href: str) -> str:
    if not href.lower().startswith(("http://", "https://")) or said.startswith("#"):
        return said
    address, bare = _SCHEME.sub("", href), _SCHEME.sub("", said).rstrip("…").rstrip("/")
    if (
        not bare
        or address.startswith(bare)
        or (said.startswith("…") and bare.lstrip("…") in address)
    ):
        return href
    return f"{said} ({href})"
