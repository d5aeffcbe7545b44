"""Find the tags of a page, by the rules of the HTML standard for tokens.

The time is linear in the length of the page, whatever it contains. ``html.parser`` of some supported Python
versions needs quadratic time for unfinished tags.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from .fetcher import Download

MAX_VALUE_LENGTH = 4000
"""Number of characters of an attribute or a title that are read. Python refuses longer numbers, so that
"&#999...;" would be an error."""

TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]*+)")
ATTRIBUTE = re.compile(r"[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+(=)\s*+)?+")
BARE_VALUE = re.compile(r"[^\s>]*+")
TAG_END = re.compile(r"[\s/]*+>")

RAW_TEXT = ("script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp")
"""Elements whose content has no tags."""

RAW_TEXT_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW_TEXT}
CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*+=\s*+["']?+\s*+([\w.:-]{1,40})""", re.IGNORECASE
)
CHARSET_BYTES = 2048
CHARSETS = {
    codecs.lookup(name).name
    for name in (
        *("utf-8", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "ibm866", "macintosh"),
        *(
            "shift_jis",
            "cp932",
            "euc-jp",
            "iso-2022-jp",
            "gbk",
            "gb2312",
            "gb18030",
            "big5",
            "euc-kr",
        ),
        *(f"iso8859-{number}" for number in (*range(1, 12), 13, 14, 15, 16)),
        *(f"cp{number}" for number in (874, *range(1250, 1259))),
    )
}
"""The character sets of the web. Others, such as Punycode, take too much time."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A start tag. ``name`` and the names of attributes are in lower case. ``text``: of a title."""

    name: str
    attributes: dict[str, str]
    text: str = ""

    def get(self, name: str) -> str:
        """Return the value of an attribute, "" if there is none."""
        return self.attributes.get(name, "")

    def words(self, name: str) -> set[str]:
        """Return the words of an attribute that is a list, such as "rel", in lower case."""
        return set(self.get(name).lower().split())


def decode_html(*, page: Download) -> str:
    """Return the text of a page. Bytes that are invalid in its character set are replaced."""
    declared = CHARSET.search(page.content[:CHARSET_BYTES])
    for name in (page.charset, declared[1].decode("ascii", "replace") if declared else ""):
        try:
            charset = codecs.lookup(name or "-").name
        except (LookupError, ValueError):
            continue
        if charset in CHARSETS:
            return page.content.decode(charset, "replace")
    try:
        return page.content.decode()
    except UnicodeDecodeError as error:
        # A page that was cut at the limit may end inside a character.
        is_cut = not page.is_complete and error.end >= len(page.content) - 3
        return page.content.decode("utf-8" if is_cut else "cp1252", "replace")


def tags_in(html: str) -> Iterator[Tag]:
    """Yield the start tags outside of comments and scripts, in order.

    A tag, comment or script that the page does not finish ends the search.
    """
    position = 0
    while (start := html.find("<", position)) >= 0:
        if html.startswith("<!--", start):
            # "<!-->" is a complete comment.
            position = _end_of(html, "-->", start + 2)
        elif match := TAG.match(html, start):
            attributes, position = _read_attributes(html, match.end())
            name = match[2].lower()
            if match[1] or position < 0:
                pass
            elif name in RAW_TEXT:
                end = RAW_TEXT_END[name].search(html, position)
                text = html[position : end.start()] if end else ""
                if end:
                    yield Tag(name, attributes, unescape(text[:MAX_VALUE_LENGTH]))
                position = end.start() if end else -1
            else:
                yield Tag(name, attributes)
        elif html.startswith(("<!", "<?", "</"), start):
            position = _end_of(html, ">", start)
        else:
            position = start + 1
        if position < 0:
            return


def _end_of(html: str, text: str, start: int) -> int:
    """Return the position after the next ``text``, -1 if there is none."""
    position = html.find(text, start)
    return position + len(text) if position >= 0 else -1


def _read_attributes(html: str, position: int) -> tuple[dict[str, str], int]:
    """Return the attributes and the position after the tag, -1 if the page does not finish the tag."""
    attributes: dict[str, str] = {}
    while not (end := TAG_END.match(html, position)):
        match = ATTRIBUTE.match(html, position)
        if not match:
            return attributes, -1
        value, position = "", match.end()
        if match[2]:
            quote_mark = html[position : position + 1]
            if quote_mark in {'"', "'"}:
                close = html.find(quote_mark, position + 1)
                if close < 0:
                    return attributes, -1
                value, position = html[position + 1 : close], close + 1
            elif bare := BARE_VALUE.match(html, position):
                value, position = bare[0], bare.end()
        name = match[1].lower()
        # The first of several attributes with the same name counts.
        attributes.setdefault(name, unescape(value[:MAX_VALUE_LENGTH]))
    return attributes, end.end()
