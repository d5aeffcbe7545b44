"""Render Markdown of administrators as safe HTML.

HTML in the text is escaped, pictures are not loaded, and only links to web pages, mail addresses and paths
of this site are links.
"""

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_ALLOWED_LINK = re.compile(r"(https?://|mailto:|/(?!/)|#)", re.IGNORECASE)


_parser = MarkdownIt("commonmark", {"html": False}).disable("image")
_parser.validateLink = lambda url: _ALLOWED_LINK.match(url) is not None  # type: ignore[method-assign]


@lru_cache(maxsize=64)
def markdown_to_html(*, text: str, base_url: str = "") -> str:
    """Return the text as HTML. Its highest headings are ``h2``, because pages have an ``h1``.

    Args:
        base_url: prefix of links to paths of this site, for readers outside of the site.
    """
    tokens = _parser.parse(text)
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    shift = 2 - min((int(token.tag[1:]) for token in headings), default=2)
    for token in headings:
        token.tag = f"h{min(6, int(token.tag[1:]) + shift)}"
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                _complete_link(child, base_url)
    return str(_parser.renderer.render(tokens, _parser.options, {}))


def _complete_link(link: Token, base_url: str) -> None:
    url = str(link.attrGet("href"))
    if url.startswith("/"):
        link.attrSet("href", base_url + url)
    elif not url.startswith("#"):
        link.attrSet("rel", "nofollow noopener")
