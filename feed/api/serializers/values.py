"""Dates, addresses and texts as clients expect them."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Annotated, TypedDict
from urllib.parse import urlsplit

from django.conf import settings

from accounts.infra.api.openapi import SchemaHints
from feed.text import rendering

DateTime = Annotated[str, SchemaHints(format="date-time")]
Id = Annotated[str, SchemaHints(pattern="^[0-9]+$")]
Url = Annotated[str, SchemaHints(format="uri")]
Html = Annotated[str, SchemaHints(description="HTML, safe to show")]


class EmptyObject(TypedDict):
    """An empty object: it is done."""


EMPTY_OBJECT: EmptyObject = {}


def format_datetime(moment: datetime) -> str:
    """ISO 8601 with milliseconds, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def site_domain() -> str:
    """Of this site, with the port if it has one."""
    return str(urlsplit(settings.SITE_URL).netloc)


def absolute_url(path: str) -> str:
    return settings.SITE_URL + path if path.startswith("/") else path


def render_html(text: str, *, linked_names: Collection[str] | None = None) -> str:
    """As on the site, in paragraphs. ``known``: names that are links."""
    if not text:
        return ""
    shown = rendering.to_html(text=text, known_usernames=linked_names, site_url=settings.SITE_URL)
    return "".join(f"<p>{part}</p>" for part in shown.split("<br><br>") if part)
