"""Ids in URLs: a path converter and cursor parameters. Invalid ids never raise a server error."""

from typing import Any

from django.http import HttpRequest

from .ids import MAX_ID


class IdConverter:
    """Match ``<id:post_id>`` in a path. Numbers above ``MAX_ID`` do not match."""

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


def page_bounds(request: HttpRequest) -> dict[str, Any]:
    """Return the cursors ``max_id``, ``min_id`` and ``since_id`` as keyword arguments for a selector."""
    return {name: cursor_param(request, name) for name in ("max_id", "min_id", "since_id")}


def parse_id(text: str) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) <= 19):
        return None
    number = int(text)
    return number if number <= MAX_ID else None
