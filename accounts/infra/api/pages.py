"""Lists that go on: their ``Link`` header (RFC 8288), as clients follow it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.utils.encoding import escape_uri_path
from rest_framework.request import Request


@dataclass(frozen=True, slots=True)
class Page:
    """``items``: a list in JSON, or an object with lists. ``older`` goes on with ``max_id``, ``newer`` with
    ``min_id``; None: nothing is there. Lists without ids go on with ``offset``.

    A page without items that is not the end has an ``older`` all the same: clients go on by that alone.
    """

    results: Any
    older_cursor: str | int | None = None
    newer_cursor: str | int | None = None
    next_offset: int | None = None


def link_header(request: Request, page: Page) -> str:
    """The header; "" if there is nothing either way."""
    found = []
    if page.older_cursor is not None:
        found.append(_link(request, "next", {"max_id": page.older_cursor}))
    if page.next_offset is not None:
        found.append(_link(request, "next", {"offset": page.next_offset}))
    if page.newer_cursor is not None:
        found.append(_link(request, "prev", {"min_id": page.newer_cursor}))
    return ", ".join(found)


def _link(request: Request, rel: str, cursor: dict[str, Any]) -> str:
    kept = {
        name: values
        for name, values in request.query_params.lists()
        if name not in ("max_id", "min_id", "since_id", "offset", "access_token")
    }
    query = urlencode({**kept, **cursor}, doseq=True)
    path = escape_uri_path(request.path)
    return f'<{settings.SITE_URL}{path}?{query}>; rel="{rel}"'
