"""Ids in URLs: a path converter and cursor parameters. Invalid ids never cause a server error."""

from dataclasses import dataclass

from django.http import HttpRequest

from .ids import MAX_ID


class IdConverter:
    """Match ids in a path, such as ``<id:post_id>``. Numbers above ``MAX_ID`` do not match."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number > MAX_ID:
            raise ValueError(value)
        return number

    def to_url(self, value: int) -> str:
        return str(value)


def cursor_param(request: HttpRequest, name: str) -> int | None:
    """Return the id in a query parameter such as ``?max_id=``; None if absent or invalid."""
    return parse_id(request.GET.get(name, ""))


@dataclass(frozen=True, slots=True)
class PageBounds:
    """The bounds of one page of a list. Cursors are exclusive.

    With ``min_id``, the page has the ``limit`` rows directly above ``min_id``. Otherwise the page has the
    newest ``limit`` rows below ``max_id`` and above ``since_id``.
    """

    limit: int
    max_id: int | None = None
    min_id: int | None = None
    since_id: int | None = None

    @property
    def is_ascending(self) -> bool:
        """Return whether to read upwards from ``min_id``. The page still shows the newest row first."""
        return self.min_id is not None

    @property
    def is_upward(self) -> bool:
        """Return whether only ``min_id`` bounds the page, so that it begins at its oldest row."""
        return self.min_id is not None and self.max_id is None

    @property
    def is_first(self) -> bool:
        """Return whether the page has no cursor."""
        return self.max_id is None and self.min_id is None and self.since_id is None

    @property
    def lower_bound(self) -> int:
        return self.min_id if self.min_id is not None else self.since_id or 0


def page_bounds(request: HttpRequest, *, limit: int) -> PageBounds:
    """Return the bounds of a page from the query parameters ``max_id``, ``min_id`` and ``since_id``."""
    return PageBounds(
        limit=limit,
        max_id=cursor_param(request, "max_id"),
        min_id=cursor_param(request, "min_id"),
        since_id=cursor_param(request, "since_id"),
    )


def parse_id(text: str) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) <= 19):
        return None
    number = int(text)
    return number if number <= MAX_ID else None
