"""Read what a page says about itself: Open Graph, tags of Twitter, and the standard tags of HTML.

All values come from another site. They are cleaned, shortened and shown as plain text.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urljoin

from accounts.infra.plain_text import DIRECTION_CONTROLS, clean_text
from accounts.infra.web_pages.addresses import UnusableUrl, parse_web_url
from accounts.infra.web_pages.html_tags import Tag
from feed.activities import Details
from feed.text.languages import base_language

MAX_TITLE, MAX_DESCRIPTION, MAX_NAME, MAX_PICTURE_TEXT = 200, 400, 80, 400
MAX_READ = 2000
"""Number of characters of a value that are cleaned."""

MAX_META_TAGS = 500
AUTHOR_NAMES = ("author", "article:author", "twitter:creator")


@dataclass(frozen=True, slots=True)
class PageData:
    """What a page says about itself. Values that are missing are ""."""

    title: str
    description: str
    author: str
    author_url: str
    site: str
    language: str
    published_at: str
    picture_url: str
    picture_text: str

    def card_content(self) -> Details:
        """Return the content of the card without the picture. Empty values are left out."""
        names = ("title", "description", "author", "author_url", "site", "language", "published_at")
        return {name: value for name in names if (value := getattr(self, name))}


def read_page_data(*, tags: Iterable[Tag], url: str) -> PageData:
    """Return the data of a page. ``url``: the address of the page, to complete relative addresses."""
    values: dict[str, list[str]] = defaultdict(list)
    meta_count = 0
    for tag in tags:
        if tag.name == "meta":
            meta_count += 1
            name = tag.get("property") or tag.get("name")
            if tag.get("content") and meta_count <= MAX_META_TAGS:
                values[name.strip().lower()].append(tag.get("content"))
        elif tag.name == "title":
            values["title"].append(tag.text)
        elif tag.name == "html":
            values["language"].append(tag.get("lang"))

    def first(*names: str, length: int) -> str:
        texts = (clean_line(values[name][0], length=length) for name in names if values[name])
        return next(filter(None, texts), "")

    def first_url(*names: str) -> str:
        urls = (_web_url(values[name][0], url) for name in names if values[name])
        return next(filter(None, urls), "")

    names = (first(name, length=MAX_NAME) for name in AUTHOR_NAMES)
    author_text = "".join(values["article:author"][:1])
    has_author_url = author_text.lower().startswith(("http://", "https://"))
    return PageData(
        title=first("og:title", "twitter:title", "title", length=MAX_TITLE),
        description=first(
            "og:description", "twitter:description", "description", length=MAX_DESCRIPTION
        ),
        author=next((name for name in names if name and "://" not in name), ""),
        # Some pages name the author here, others the address of the author's profile.
        author_url=first_url("article:author") if has_author_url else "",
        site=first("og:site_name", "application-name", length=MAX_NAME),
        language=base_language("".join(values["language"][:1])[:20]),
        published_at=_timestamp("".join(values["article:published_time"][:1])),
        picture_url=first_url("og:image:secure_url", "og:image", "og:image:url", "twitter:image"),
        picture_text=first("og:image:alt", "twitter:image:alt", length=MAX_PICTURE_TEXT),
    )


def clean_line(text: str, *, length: int) -> str:
    """Return a text of another site as one line, without controls of any kind."""
    line = " ".join(clean_text(DIRECTION_CONTROLS.sub("", text[:MAX_READ])).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def _web_url(address: str, base: str) -> str:
    try:
        return str(parse_web_url(urljoin(base, address.strip())))
    except (UnusableUrl, ValueError):
        return ""


def _timestamp(text: str) -> str:
    """Return a date of the page as an ISO date in UTC, "" if it is invalid."""
    try:
        moment = datetime.fromisoformat(text.strip()[:40])
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return ""
