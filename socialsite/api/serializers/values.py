"""Dates, URLs and texts in the formats that clients expect."""

from collections.abc import Collection
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, TypedDict
from urllib.parse import urlsplit

from django.conf import settings

from accounts.infra.paths import path_for
from feed.text import renderer

DateTime = Annotated[str, "format", "date-time"]
Id = Annotated[str, "pattern", "^[0-9]+$"]
Url = Annotated[str, "format", "uri"]
Html = Annotated[str, "description", "HTML, safe to show"]


class EmptyObject(TypedDict):
    """An empty object, returned by actions that succeed but have no data to return."""


def format_datetime(moment: datetime) -> str:
    """Return a UTC time in ISO 8601 format with milliseconds."""
    utc = moment.astimezone(UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="milliseconds") + "Z"


def site_domain() -> str:
    """Return the domain of this site, with the port if the URL of the site has a port."""
    return str(urlsplit(settings.SITE_URL).netloc)


def absolute_url(path: str) -> str:
    return settings.SITE_URL + path if path.startswith("/") else path


def status_url(*, username: str, status_id: int) -> str:
    """Return the URL by which apps recognize links to posts and comments: without a slash at the end."""
    return absolute_url(path_for("post", username, status_id)).removesuffix("/")


def render_html(text: str, *, linked_names: Collection[str] | None = None) -> str:
    """Return the text as HTML paragraphs with absolute links.

    Args:
        linked_names: usernames whose mentions become links. None links all mentions.
    """
    if not text:
        return ""
    names = None if linked_names is None else frozenset(linked_names)
    return _render_html(text, names, settings.SITE_URL)


def render_field_html(text: str) -> str:
    """Return the value of a profile field as HTML with absolute links."""
    return renderer.to_html(
        text=text, site_url=settings.SITE_URL, link_rel=renderer.PROFILE_LINK_REL
    )


@lru_cache(maxsize=8192)
def _render_html(text: str, linked_names: frozenset[str] | None, site_url: str) -> str:
    html = renderer.to_html(text=text, known_usernames=linked_names, site_url=site_url)
    return "".join(f"<p>{part}</p>" for part in html.split("<br><br>") if part)
