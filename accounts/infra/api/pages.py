"""Pages of lists and their ``Link`` header (RFC 8288), which clients follow."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.utils.encoding import escape_uri_path
from rest_framework.request import Request


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list.

    results: a JSON list, or an object with lists.
    older_cursor, newer_cursor: the ``max_id`` and ``min_id`` of the adjacent pages; None if there is none.
    An empty page that is not the last has an ``older_cursor`` too, because clients follow only the cursor.
    next_offset: for lists without ids.
    """

    results: Any
    older_cursor: str | int | None = None
    newer_cursor: str | int | None = None
    next_offset: int | None = None


def link_header(request: Request, page: Page) -> str:
    """Return the header; "" if there is no adjacent page."""
    links = []
    if page.older_cursor is not None:
        links.append(_link(request, "next", {"max_id": page.older_cursor}))
    if page.next_offset is not None:
        links.append(_link(request, "next", {"offset": page.next_offset}))
    if page.newer_cursor is not None:
        links.append(_link(request, "prev", {"min_id": page.newer_cursor}))
    return ", ".join(links)


def _link(request: Request, rel: str, cursor: dict[str, Any]) -> str:
    params = {
        name: values
        for name, values in request.query_params.lists()
        if name not in ("max_id", "min_id", "since_id", "offset", "access_token")
    }
    query = urlencode({**params, **cursor}, doseq=True)
    path = escape_uri_path(request.path)
    return f'<{settings.SITE_URL}{path}?{query}>; rel="{rel}"'
