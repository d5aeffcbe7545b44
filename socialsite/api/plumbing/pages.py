"""Pages of lists, and their ``Link`` header (RFC 8288) with the URLs of the adjacent pages."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.utils.encoding import escape_uri_path
from rest_framework.request import Request


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list.

    Attributes:
        results: a JSON list, or an object that contains lists.
        older_cursor: ``max_id`` of the next page, or None on the last page. A page is empty if all its rows
            are hidden from the viewer. Such a page has a cursor unless it is the last page, because clients
            stop at a page without a cursor.
        newer_cursor: ``min_id`` of the previous page, or None if the response has no link to that page.
        next_offset: offset of the next page, for lists without ids.
    """

    results: Any
    older_cursor: str | int | None = None
    newer_cursor: str | int | None = None
    next_offset: int | None = None


def link_header(request: Request, page: Page) -> str:
    """Return the value of the ``Link`` header, or "" if there is no adjacent page."""
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
