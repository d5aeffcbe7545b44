"""Dates, addresses and texts as clients expect them."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Annotated, TypedDict
from urllib.parse import urlsplit

from django.conf import settings

from accounts.api.openapi import Told
from feed.text import rendering

Moment = Annotated[str, Told(format="date-time")]
Id = Annotated[str, Told(pattern="^[0-9]+$")]
Url = Annotated[str, Told(format="uri")]
Html = Annotated[str, Told(description="HTML, safe to show")]


class Nothing(TypedDict):
    """An empty object: it is done."""


EMPTY: Nothing = {}


def at(moment: datetime) -> str:
    """ISO 8601 with milliseconds, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def domain() -> str:
    """Of this site, with the port if it has one."""
    return str(urlsplit(settings.SITE_URL).netloc)


def absolute(path: str) -> str:
    return settings.SITE_URL + path if path.startswith("/") else path


def html(text: str, *, known: Collection[str] | None = None) -> str:
    """As on the site, in paragraphs. ``known``: names that are links."""
    if not text:
        return ""
    shown = rendering.to_html(text=text, known=known, site=settings.SITE_URL)
    return "".join(f"<p>{part}</p>" for part in shown.split("<br><br>") if part)
